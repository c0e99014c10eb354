"""Who may do what: every page and every verb of the API, and what becomes of it, person by person.

A line is a method, the name of an address (after ``api:`` an operation's id), what of Alice's it is asked
about, and the ``action`` of its form. Then come the outcomes: a status, or ``in`` where one is led to sign in
first, or ``again`` where one is asked for the password once more. Under each heading stand who asks:

own, mem       Alice, whose team has all of it, and Carol, a member of that team.
oth            Bob, another submitter, whom a team of Alice's has invited.
ope, nob       Olga, who operates; nobody, who is not signed in.
a-r, a-s, b-s  By token: Alice's to read, Alice's to submit, Bob's to submit.
o-s, o-o, old  Olga's to submit, by which she is no operator; Olga's to operate; Alice's, which has expired.

What is sent is such that whoever may do it does it (`asking.py`): a refusal is about the person.
"""

from __future__ import annotations

TABLE = """
== Boards and tasks             own mem oth ope nob
GET home             -        - 200 200 200 200 200
GET board            -        - 200 200 200 200 200
GET board-data       json,csv - 200 200 200 200 200
GET board-picture    -        - 200 200 200 200 200
GET board-archive    -        - 200 200 200 200 200
GET benchmark        -        - 200 200 200 200 200
GET benchmark-data   json,csv - 200 200 200 200 200
GET benchmark-charts -        - 200 200 200 200 200
GET board-charts     -        - 200 200 200 200 200
GET board-history    -        - 200 200 200 200 200
GET grid             -        - 200 200 200 200 200
GET tasks            -        - 200 200 200 200 200
GET failures         -        - 200 200 200 200 200
GET task             pet      - 200 200 200 200 200
GET task-parting     published - 400 400 400 400 400
GET task-parting     draft,hidden - 404 404 404 404 404
GET about            -        - 200 200 200 200 200
GET guide            formats  - 200 200 200 200 200
GET api-reference    -        - 200 200 200 200 200
GET security-contact -        - 404 404 404 404 404
GET feed             -        - 200 200 200 200 200
GET board-feed       -        - 200 200 200 200 200
GET robots           -        - 200 200 200 200 200
GET favicon          -        - 302 302 302 302 302
GET sitemaps         -        - 200 200 200 200 200
GET sitemap          -        - 200 200 200 200 200

== Comparisons                                           own mem oth ope nob
GET compare       published,superseded,public-run      - 200 200 200 200 200
GET compare       draft                                - 200 200 404 200 404
GET compare       private-run                          - 404 404 404 200 404
GET compare       withdrawn,hidden                     - 200 200 404 200 404
GET compare-csv   published,superseded,public-run      - 200 200 200 200 200
GET compare-csv   draft                                - 200 200 404 200 404
GET compare-csv   private-run                          - 404 404 404 200 404
GET compare-csv   withdrawn,hidden                     - 200 200 404 200 404

== Entries                                                 own mem oth ope nob
GET  entry        published,superseded,public-run -        200 200 200 200 200
GET  badge        published,superseded,public-run -        200 200 200 200 200
GET  entry-archive published,superseded,public-run -       200 200 200 200 200
GET  entry-archive draft                          -        200 200 404 200 404
GET  entry-archive private-run                    -        404 404 404 200 404
GET  entry-archive withdrawn,hidden               -        200 200 410 200 410
GET  entry-picture published,superseded           -        200 200 200 200 200
GET  entry-picture draft,private-run,public-run   -        404 404 404 404 404
GET  entry-picture withdrawn,hidden               -        404 404 410 404 410
GET  entry        draft                           -        200 200 404 200 404
GET  badge        draft                           -        200 200 404 200 404
GET  entry        private-run                     -        404 404 404 200 404
GET  badge        private-run                     -        404 404 404 200 404
GET  entry        withdrawn,hidden                -        200 200 410 200 410
GET  badge        withdrawn,hidden                -        200 200 410 200 410
GET  versions     published,superseded,public-run -        200 200 200 200 200
GET  versions     draft                           -        200 200 404 200 404
GET  versions     private-run                     -        404 404 404 200 404
GET  versions     withdrawn,hidden                -        200 200 410 200 410
GET  edit-entry   published,superseded            -        200 200 403 200 in
GET  edit-entry   draft                           -        200 200 404 200 in
GET  edit-entry   private-run                     -        404 404 404 200 in
GET  edit-entry   public-run                      -        403 403 403 200 in
GET  edit-entry   withdrawn,hidden                -        200 200 410 200 in
POST edit-entry   published,superseded            -        302 302 403 302 in
POST edit-entry   draft                           -        302 302 404 302 in
POST edit-entry   private-run                     -        404 404 404 302 in
POST edit-entry   public-run                      -        403 403 403 302 in
POST edit-entry   withdrawn,hidden                -        200 200 410 200 in
POST act-on-entry draft                           publish  302 302 404 302 in
POST act-on-entry private-run                     publish  404 404 404 302 in
POST act-on-entry draft                           discard  302 302 404 302 in
POST act-on-entry published,superseded            withdraw 302 302 403 302 in
POST act-on-entry draft                           withdraw 302 302 404 302 in
POST act-on-entry withdrawn,hidden                withdraw 302 302 410 302 in
POST act-on-entry published                       accept   403 403 403 302 in
POST act-on-entry published                       unaccept 403 403 403 302 in
POST act-on-entry published                       hide     403 403 403 302 in
POST act-on-entry hidden                          show     403 403 410 302 in
POST act-on-entry published                       nonsense 302 302 403 302 in

== Attempts                                           own mem oth ope nob
GET search          -                               - 200 200 200 200 200
GET attempt         published,superseded,public-run - 200 200 200 200 200
GET attempt         draft                           - 200 200 404 200 404
GET attempt         private-run                     - 404 404 404 200 404
GET attempt         withdrawn,hidden                - 200 200 410 200 410
GET find            published,superseded,public-run - 200 200 200 200 200
GET find            draft                           - 200 200 404 200 404
GET find            private-run                     - 404 404 404 200 404
GET find            withdrawn,hidden                - 200 200 410 200 410
GET output          published,superseded            - 200 200 200 200 200
GET output          draft                           - 200 200 404 200 404
GET output          withdrawn,hidden                - 200 200 410 200 410
GET line            published,superseded,public-run - 302 302 302 302 302
GET line            draft                           - 302 302 404 302 404
GET line            private-run                     - 404 404 404 302 404
GET line            withdrawn,hidden                - 302 302 410 302 410
GET text            published,superseded,public-run - 200 200 200 200 200
GET text            draft                           - 200 200 404 200 404
GET text            private-run                     - 404 404 404 200 404
GET text            withdrawn,hidden                - 200 200 410 200 410
GET step-markdown   published,superseded,public-run - 200 200 200 200 200
GET step-markdown   draft                           - 200 200 404 200 404
GET step-markdown   private-run                     - 404 404 404 200 404
GET step-markdown   withdrawn,hidden                - 200 200 410 200 410
GET download        published,superseded,public-run - 200 200 200 200 200
GET download        draft                           - 200 200 404 200 404
GET download        private-run                     - 404 404 404 200 404
GET download        withdrawn,hidden                - 200 200 410 200 410
GET download-output published,superseded,public-run - 200 200 200 200 200
GET download-output draft                           - 200 200 404 200 404
GET download-output private-run                     - 404 404 404 200 404
GET download-output withdrawn,hidden                - 200 200 410 200 410
GET media           published,superseded,public-run - 200 200 200 200 200
GET media           draft                           - 200 200 404 200 404
GET media           private-run                     - 404 404 404 200 404
GET media           withdrawn,hidden                - 200 200 410 200 410

== Uploads                                                                            own mem oth ope nob
GET   submit        -                                                        -        200 200 200 200 200
GET   sample-report -                                                        -        200 200 200 200 200
POST  submit        -                                                        -        302 302 400 400 in
GET   upload        receiving,queued,incomplete,checked,final,refused,failed -        200 200 404 200 in
GET   upload-report receiving,checked,final                                  -        200 200 404 200 in
POST  act-on-upload checked                                                  describe 302 302 404 302 in
POST  act-on-upload checked                                                  recheck  302 302 404 302 in
POST  act-on-upload checked                                                  discard  302 302 404 302 in

== Operators                                    own mem oth ope nob
GET  operate            -               -       403 403 403 200 in
GET  audit              -               -       403 403 403 200 in
GET  operate-benchmarks -               -       403 403 403 200 in
POST operate-benchmarks -               preview 403 403 403 200 in
POST operate-benchmarks -               tasks   403 403 403 302 in
GET  suspected          -               -       403 403 403 200 in
POST judge-attempt      published,draft confirm 403 403 403 302 in
GET  task-drafts        -               -       403 403 403 200 in
GET  task-draft         draft           -       403 403 403 200 in
POST task-draft         draft           save    403 403 403 302 in
POST task-draft         draft           approve 403 403 403 302 in
POST task-draft         draft           reject  403 403 403 302 in
POST ask-for-re-score   -               preview 403 403 403 302 in
POST ask-for-re-score   -               apply   403 403 403 302 in
POST admit-team         -               -       403 403 403 302 in
POST merge-agents       -               -       403 403 403 302 in

== Runs                         own mem oth ope nob
GET  runs       -       -       403 403 403 200 in
GET  new-run    -       -       403 403 403 200 in
POST new-run    -       -       403 403 403 302 in
GET  run        private -       404 404 404 200 404
GET  run        public  -       200 200 200 200 200
GET  job       private -       404 404 404 200 404
GET  job       public  -       200 200 200 200 200
POST act-on-run private cancel  403 403 403 302 in
POST act-on-run private retry   403 403 403 302 in
POST act-on-run private open    403 403 403 302 in
POST act-on-run private publish 403 403 403 302 in
POST act-on-run public  close   403 403 403 302 in

== Accounts and teams                  own mem oth ope nob
GET  account           -       -       200 200 200 200 in
GET  delete-account    -       -       200 200 200 200 in
POST delete-account    -       -       302 302 302 302 in
GET  tokens            -       -       200 200 200 200 in
POST tokens            -       -       200 200 200 200 in
POST revoke-token      alice's -       302 404 404 404 in
GET  teams             -       -       200 200 200 200 in
POST teams             -       -       302 302 302 302 in
GET  team              own,lab -       200 200 404 404 in
POST team              lab     rename  302 403 404 404 in
POST team              lab     invite  302 403 404 404 in
POST team              lab     leave   302 302 404 404 in
POST team              lab     delete  302 403 404 404 in
POST answer-invitation bob's   accept  404 404 302 404 in
POST answer-invitation bob's   decline 404 404 302 404 in

== Signing in and out                         own   mem   oth   ope   nob
GET  sign-in                              - - 302   302   302   302   200
POST sign-in                              - - 302   302   302   302   302
GET  account_login                        - - 302   302   302   302   200
POST account_login                        - - 302   302   302   302   302
GET  sign-out                             - - 200   200   200   200   302
POST sign-out                             - - 302   302   302   302   302
GET  account_logout                       - - 200   200   200   200   302
POST account_logout                       - - 302   302   302   302   302
GET  account_signup                       - - 302   302   302   302   200
POST account_signup                       - - 302   302   302   302   302
GET  account_inactive                     - - 200   200   200   200   200
GET  account_reauthenticate               - - 200   200   200   200   in
POST account_reauthenticate               - - 302   302   302   302   in
GET  account_email                        - - 200   200   200   200   in
POST account_email                        - - again again again again in
GET  account_email_verification_sent      - - 200   200   200   200   200
GET  account_confirm_email                - - 200   200   200   200   200
POST account_confirm_email                - - 302   302   302   302   302
GET  account_change_password              - - 200   200   200   200   in
POST account_change_password              - - 302   302   302   302   in
GET  account_set_password                 - - 302   302   302   302   in
POST account_set_password                 - - 302   302   302   302   in
GET  account_reset_password               - - 200   200   200   200   200
POST account_reset_password               - - 302   302   302   302   302
GET  account_reset_password_done          - - 200   200   200   200   200
GET  account_reset_password_from_key      - - 302   302   302   302   302
POST account_reset_password_from_key      - - 302   302   302   302   302
GET  account_reset_password_from_key_done - - 200   200   200   200   200
GET  socialaccount_login_cancelled        - - 200   200   200   200   200
GET  socialaccount_login_error            - - 401   401   401   401   401
GET  socialaccount_signup                 - - 302   302   302   302   302
GET  socialaccount_connections            - - 200   200   200   200   in
GET  github_login                         - - 200   200   200   200   200
GET  github_callback                      - - 401   401   401   401   401
GET  openid_connect_login                 - - 200   200   200   200   200
GET  openid_connect_callback              - - 401   401   401   401   401
POST socialaccount_signup                 - - 302   302   302   302   302
POST socialaccount_connections            - - 200   200   200   200   in
POST github_login                         - - 302   302   302   302   302

== API: benchmarks and entries                            own mem oth ope nob a-r a-s b-s o-s o-o old
GET  api:benchmarks     -                               - 200 200 200 200 200 200 200 200 200 200 401
GET  api:benchmark      -                               - 200 200 200 200 200 200 200 200 200 200 401
GET  api:task_set       -                               - 200 200 200 200 200 200 200 200 200 200 401
GET  api:board          -                               - 200 200 200 200 200 200 200 200 200 200 401
GET  api:board_archive  -                               - 200 200 200 200 200 200 200 200 200 200 401
GET  api:tasks          -                               - 200 200 200 200 200 200 200 200 200 200 401
GET  api:task           -                               - 200 200 200 200 200 200 200 200 200 200 401
GET  api:task_comparison -                              - 200 200 200 200 200 200 200 200 200 200 401
GET  api:task_attempts  -                               - 200 200 200 200 200 200 200 200 200 200 401
GET  api:entries        -                               - 200 200 200 200 200 200 200 200 200 200 401
GET  api:entry          published,superseded,public-run - 200 200 200 200 200 200 200 200 200 200 401
GET  api:entry          draft                           - 200 200 404 200 404 200 200 404 404 200 401
GET  api:entry          private-run                     - 404 404 404 200 404 404 404 404 404 200 401
GET  api:entry          withdrawn,hidden                - 200 200 410 200 410 200 200 410 410 200 401
GET  api:entry_attempts published,superseded,public-run - 200 200 200 200 200 200 200 200 200 200 401
GET  api:entry_attempts draft                           - 200 200 404 200 404 200 200 404 404 200 401
GET  api:entry_attempts private-run                     - 404 404 404 200 404 404 404 404 404 200 401
GET  api:entry_attempts withdrawn,hidden                - 200 200 410 200 410 200 200 410 410 200 401
GET  api:entry_archive published,superseded,public-run  - 200 200 200 200 200 200 200 200 200 200 401
GET  api:entry_archive draft                           - 200 200 404 200 404 200 200 404 404 200 401
GET  api:entry_archive private-run                     - 404 404 404 200 404 404 404 404 404 200 401
GET  api:entry_archive withdrawn,hidden                - 200 200 410 200 410 200 200 410 410 200 401
GET  api:compare        published,superseded,public-run - 200 200 200 200 200 200 200 200 200 200 401
GET  api:compare        draft                           - 200 200 404 200 404 200 200 404 404 200 401
GET  api:compare        private-run                     - 404 404 404 200 404 404 404 404 404 200 401
GET  api:compare        withdrawn,hidden                - 200 200 404 200 404 200 200 404 404 200 401
GET  api:preview        published,superseded,public-run - 200 200 200 200 401 200 200 200 200 200 401
GET  api:preview        draft                           - 200 200 404 200 401 200 200 404 404 200 401
GET  api:preview        private-run                     - 404 404 404 200 401 404 404 404 404 200 401
GET  api:preview        withdrawn,hidden                - 200 200 410 200 401 200 200 410 410 200 401
POST api:withdraw       published,superseded            - 200 200 403 200 401 403 200 403 403 403 401
POST api:withdraw       draft                           - 422 422 404 422 401 403 422 404 404 403 401
POST api:withdraw       withdrawn,hidden                - 422 422 410 422 401 403 422 410 410 403 401
POST api:accept         published                       - 403 403 403 200 401 403 403 403 403 200 401
POST api:accept         draft                           - 403 403 403 422 401 403 403 403 403 422 401
POST api:unaccept       published                       - 403 403 403 200 401 403 403 403 403 200 401

== API: attempts                                    own mem oth ope nob a-r a-s b-s o-s o-o old
GET api:search    -                               - 200 200 200 200 200 200 200 200 200 200 401
GET api:attempt   published,superseded,public-run - 200 200 200 200 200 200 200 200 200 200 401
GET api:attempt   draft                           - 200 200 404 200 404 200 200 404 404 200 401
GET api:attempt   private-run                     - 404 404 404 200 404 404 404 404 404 200 401
GET api:attempt   withdrawn,hidden                - 200 200 410 200 410 200 200 410 410 200 401
GET api:steps     published,superseded,public-run - 200 200 200 200 200 200 200 200 200 200 401
GET api:steps     draft                           - 200 200 404 200 404 200 200 404 404 200 401
GET api:steps     private-run                     - 404 404 404 200 404 404 404 404 404 200 401
GET api:steps     withdrawn,hidden                - 200 200 410 200 410 200 200 410 410 200 401
GET api:alignment published,superseded,public-run - 200 200 200 200 200 200 200 200 200 200 401
GET api:alignment draft                           - 200 200 404 200 404 200 200 404 404 200 401
GET api:alignment private-run                     - 404 404 404 200 404 404 404 404 404 200 401
GET api:alignment withdrawn,hidden                - 200 200 410 200 410 200 200 410 410 200 401
GET api:file      published,superseded,public-run - 200 200 200 200 200 200 200 200 200 200 401
GET api:file      draft                           - 200 200 404 200 404 200 200 404 404 200 401
GET api:file      private-run                     - 404 404 404 200 404 404 404 404 404 200 401
GET api:file      withdrawn,hidden                - 200 200 410 200 410 200 200 410 410 200 401

== API: uploads                               own mem oth ope nob a-r a-s b-s o-s o-o old
GET    api:me       -                       - 200 200 200 200 401 200 200 200 200 200 401
GET    api:teams_to_admit -                 - 403 403 403 200 401 403 403 403 403 200 401
POST   api:admit    -                       - 403 403 403 200 401 403 403 403 403 200 401
POST   api:start    -                       - 201 201 201 201 401 403 201 201 201 403 401
GET    api:uploads  -                       - 200 200 200 200 401 200 200 200 200 200 401
GET    api:gold_checks -                    - 200 200 200 200 401 200 200 200 200 200 401
GET    api:upload   receiving,checked,final - 200 200 404 200 401 200 200 404 404 200 401
HEAD   api:offset   receiving               - 200 200 404 200 401 200 200 404 404 200 401
PATCH  api:send     receiving               - 204 204 404 204 401 403 204 404 404 403 401
POST   api:describe checked                 - 200 200 404 200 401 403 200 404 404 403 401
POST   api:recheck  checked                 - 200 200 404 200 401 403 200 404 404 403 401
GET    api:report   checked                 - 200 200 404 200 401 200 200 404 404 200 401
POST   api:publish  checked,final           - 200 200 404 200 401 403 200 404 404 403 401
DELETE api:discard  checked                 - 204 204 404 204 401 403 204 404 404 403 401

== API: runs                        own mem oth ope nob a-r a-s b-s o-s o-o old
GET   api:runs            -       - 200 200 200 200 200 200 200 200 200 200 401
POST  api:create          -       - 403 403 403 201 401 403 403 403 403 201 401
GET   api:run             private - 404 404 404 200 404 404 404 404 404 200 401
GET   api:run             public  - 200 200 200 200 200 200 200 200 200 200 401
GET   api:jobs           private - 404 404 404 200 404 404 404 404 404 200 401
GET   api:jobs           public  - 200 200 200 200 200 200 200 200 200 200 401
PATCH api:change          private - 403 403 403 200 401 403 403 403 403 200 401
POST  api:cancel          private - 403 403 403 200 401 403 403 403 403 200 401
POST  api:retry           private - 403 403 403 200 401 403 403 403 403 200 401
POST  api:publish_results private - 403 403 403 200 401 403 403 403 403 200 401
"""
