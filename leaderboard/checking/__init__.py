"""Checks what somebody wants to submit: pure, the same code in the `superboard` command and on the site.

- ``archives.unpack``: an archive, or a single result file, into a folder, safely
- ``division.divide``: the entries in an archive, where there are several
- ``survey.survey``: the attempts in a folder, and what belongs to them
- ``examine.examine``: what is odd or dangerous in one trajectory
- ``report.Report``: all that was found, file by file
- ``folder.check_folder``: the last four, one after the other
"""
