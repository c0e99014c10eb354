"""The classes of what stops an attempt: for each its sentence and the lines of output that show it.

Patterns are searched for in one line, at most `outputs.LONGEST_LINE` characters, without colour codes; the
first rule that fits, in the order of ``ERRORS``, decides. A line's length bounds what a pattern can cost.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

CLASSES: Final[dict[str, str]] = {
    "missing-module": "A module or program that is not installed, or not found, stopped it",
    "dependency-conflict": "Versions of packages that do not fit together stopped it",
    "gpu-required": "The code needs a GPU, and there was none",
    "out-of-memory": "It ran out of memory or disk",
    "shape-or-type-error": "An error in the program itself stopped it",
    "file-not-found": "A file or folder was not where it was looked for",
    "download-failed": "Something could not be downloaded",
    "dataset-format": "The data were there, but not as the code expects them",
    "config-or-arguments": "Arguments or configuration values were wrong or missing",
    "syntax-error": "Code or a command that it wrote does not parse",
    "permission": "Access to a file or command was denied",
    "edit-failed": "Its edits were refused again and again",
    "format-error": "Its replies were not in the form that its loop needs",
    "context-exhausted-reading": "It read and searched until its budget was used up, and no error is why",
    "slow-execution": "Commands ran too long",
    "wrong-scale": "Numbers of its answer are in another scale than what was printed",
    "wrong-metric-or-split": "It reports another metric or split than was asked for",
    "wrong-hyperparameters": "It ran with other values than were asked for",
    "misread-task": "It did something other than what was asked",
    "gave-up": "It gave up: it submitted no result",
    "answer-format": "Its answer is not in the form that was asked for",
    "fabricated-answer": "A number of its answer is not seen in any output",
    "partial-results": "Some of the values that were asked for are missing",
}
"""Each class with the sentence that a finding of it begins with."""
LABELS: Final[dict[str, str]] = {kind: kind.replace("-", " ") for kind in CLASSES}
"""Each class as pages name it."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A line that shows a class.

    If ``context`` is given, it must be found in the lines before it; ``near`` in the last two of them, which
    have the code that failed.
    """

    kind: str
    pattern: re.Pattern[str]
    context: re.Pattern[str] | None = None
    near: re.Pattern[str] | None = None

    def fits(self, line: str, before: Sequence[str]) -> bool:
        """Whether an error's line, after some lines, shows the class."""
        return (
            self.pattern.search(line) is not None
            and (self.context is None or self.context.search("\n".join(before)) is not None)
            and (self.near is None or self.near.search("\n".join(before[-2:])) is not None)
        )


def _rule(kind: str, *patterns: str, context: str = "", near: str = "") -> Rule:
    context_pattern, near_pattern = (re.compile(each) if each else None for each in (context, near))
    return Rule(kind, re.compile("|".join(patterns)), context_pattern, near_pattern)


_DATA_CODE: Final = (
    r"File \"[^\"]*(?:data|load|preproc|corpus|csv|json|token)[^\"/]*\""
    r"|load_dataset|read_csv|read_json|json\.loads?\(|DataLoader|\bdataset\b|\bdatasets\[|\bexamples\b"
    r"|convert_examples|features\[|\bcolumns?\b|\blabels?\b|train_df|\bsplit\b"
)
_LIBRARY: Final = r"site-packages|dist-packages"

ERRORS: Final = (
    _rule(
        "out-of-memory",
        r"CUDA out of memory", r"OutOfMemoryError", r"^MemoryError", r"Cannot allocate memory",
        r"No space left on device", r"DefaultCPUAllocator: can't allocate", r"Killed$",
        r"exit(?:ed with)? (?:code|status) -?(?:9|137)\b", r"oom-kill", r"Disk quota exceeded",
    ),
    _rule(
        "gpu-required",
        r"Found no NVIDIA driver", r"not compiled with CUDA", r"CUDA (?:is )?not available",
        r"[Nn]o (?:GPU|gpu|CUDA|cuda)\b", r"CUDA_HOME", r"libcud(?:a|art|nn)", r"cuda runtime error",
        r"torch\.cuda\.\w+ not available", r"(?:requires|needs) (?:a )?(?:GPU|CUDA)",
        r"can only be used on CUDA", r"Attempting to deserialize object on a CUDA device",
        r"no kernel image is available", r"CUDA error", r"bf16/gpu", r"supported on CUDA",
        r"mixed precision .*CUDA", r"NCCL", r"nvidia-smi: (?:command )?not found",
        r"Invalid device id", r"invalid device ordinal",
    ),
    _rule(
        "permission",
        r"Permission denied", r"^PermissionError", r"Read-only file system", r"Operation not permitted",
        r"EACCES", r"[Rr]un as root", r"insufficient permissions",
    ),
    _rule(
        "download-failed",
        r"DatasetNotFoundError", r"(?:ConnectionError|ConnectTimeout|ReadTimeout|URLError|SSLError)\b",
        r"^(?:[\w.]+\.)?HTTPError", r"ERROR (?:4|5)\d\d\b", r"HTTP (?:request sent|Error).*\b[45]\d\d\b",
        r"\b(?:404|403)(?: Client Error|: Not Found|: Forbidden|\s+Not Found)",
        r"RepositoryNotFoundError", r"Repository Not Found", r"Could not resolve host",
        r"Temporary failure in name resolution", r"unable to resolve host",
        r"Cannot retrieve the (?:public|folder)", r"Failed to retrieve", r"[Ff]ailed to (?:download|fetch)",
        r"is not a valid model identifier", r"Couldn't (?:reach|find a dataset|connect)",
        r"[Cc]an't load (?:the )?(?:tokenizer|config\w*|model|feature) ", r"Max retries exceeded",
        r"^fatal: (?:repository|unable to access|Remote branch|could not read Username)",
        r"Connection (?:refused|timed out|reset)", r"Network is unreachable",
        r"doesn't exist on the Hub", r"End-of-central-directory signature not found",
        r"BadZipFile", r"not in gzip format", r"(?:quota|too many users) ", r"GatedRepoError",
        r"We couldn't connect to", r"^E: Unable to (?:locate|fetch)", r"OfflineModeIsEnabled",
        r"FileURLRetrievalError",
    ),
    _rule("config-or-arguments", r": line \d+: -{1,2}[\w-]+: command not found"),
    _rule(
        "missing-module",
        r"ModuleNotFoundError", r"^ImportError: (?:No module|DLL|lib|/)", r"No module named",
        r"cannot open shared object file", r"^ImportError: .*(?:requires|[Pp]lease install|install)",
        r"(?:[Pp]lease|need to|must) (?:pip )?install\b", r"PackageNotFoundError",
        r": (?:line \d+: )?[\w./-]+: (?:command )?not found$", r"^[\w./-]+: command not found$",
        r"pip install \S+` to", r"^ImportError: attempted relative import", r"Can't find model '",
        r"Resource .{0,40}not found", r"needs? to be installed", r"is not installed",
        r"requires the \S+ (?:library|package)", r"backends? .*not found in your environment",
    ),
    _rule(
        "dependency-conflict",
        r"ResolutionImpossible", r"^ERROR: No matching distribution", r"^ERROR: Could not find a version",
        r"Failed (?:to build|building wheel)", r"Could not build wheels", r"subprocess-exited-with-error",
        r"metadata-generation-failed", r"^ERROR: Cannot install", r"ERROR: Failed to build installable",
        r"conflicting dependencies", r"(?:requires a different|not supported with) Python",
        r"^ImportError: cannot import name", r"^(?:\w+\.)*\w*Error: module '[^']*' has no attribute",
        r"numpy\.(?:core\.multiarray|dtype size changed)", r"binary incompatibility", r"was removed in",
        r"is deprecated and was removed", r"no longer supported", r"RequirementParseError",
        r"[Vv]ersion\w* (?:conflict|mismatch)", r"VersionConflict", r"is required for a normal functioning",
        r"A module that was compiled using NumPy 1", r"undefined symbol", r"GLIBC\w*_\d",
        r"^error: (?:command .* failed|legacy-install-failure|can't find Rust compiler)",
        r"This error originates from a subprocess, and is likely not a problem with pip",
        r"^(?:\w+\.)*TypeError: \S+ got an unexpected keyword argument",
        r"ContextualVersionConflict", r"[Dd]escriptors cannot (?:not )?be created directly",
    ),
    _rule(
        "config-or-arguments",
        r"^AttributeError: '(?:Namespace|\w*(?:Config|Args|Arguments|Options)\w*)' object",
    ),
    _rule(
        "config-or-arguments",
        r"NoneType",
        near=r"\b(?:args|config|cfg|opts?|FLAGS|\w+_args)\.\w+|argv",
    ),
    _rule(
        "dataset-format",
        r"^AttributeError: '(?:tuple|list|str|dict|NoneType)' object",
        near=r"\b\w*(?:dataset|examples|features|_df)\w*\s*(?:\.|\[|=)",
    ),
    _rule(
        "shape-or-type-error",
        r"^AttributeError: '(?:tuple|list|str|dict|set|int|float|bool|bytes|NoneType|ndarray)' object",
        r"is not JSON serializable", r"loading state_dict", r"size mismatch", r"[Ss]hapes? ", r"dimension",
        r"expected scalar type", r"could not be broadcast", r"Asking to pad", r"unsupported operand",
    ),
    _rule(
        "dependency-conflict",
        r"^AttributeError: ", r"^TypeError: \S+ (?:missing|takes) ",
        context=_LIBRARY,
    ),
    _rule("dependency-conflict", r"^AttributeError: '\w+Vectorizer' object has no attribute"),
    _rule(
        "dataset-format",
        r"^KeyError: '(?:\w*label\w*|text|sentence\w*|question|train|validation|dev|test|input_ids)'",
    ),
    _rule(
        "syntax-error",
        r"(?:SyntaxError|IndentationError|TabError)\b", r"syntax error near", r"unexpected EOF",
        r"[Ss]yntax error", r"unexpected end of file", r"invalid syntax", r"unterminated ",
        r"Unterminated quoted string", r"UsageError: (?:Line|Cell) magic",
    ),
    _rule(
        "config-or-arguments",
        r"^[\w./-]+: error: ", r"unrecognized arguments", r"arguments are required", r"invalid choice",
        r"ambiguous option", r"[Nn]o such option", r"expected one argument", r"[Uu]nknown option",
        r"are not used by the HfArgumentParser", r"Must (?:set|specify|provide)", r"ConfigKeyError",
        r"ConfigAttributeError", r"MissingConfigException", r"NoSectionError", r"NoOptionError",
        r"Unknown (?:model|task|dataset|optimizer|argument)", r"Undefined (?:dataset|task)",
        r"ScannerError", r"api_key not configured", r"[Ii]nvalid (?:option|argument|value)\b",
        r"must be (?:specified|set|provided|passed)", r"(?:[Yy]ou )?must specify", r"should be one of",
        r"(?:is|are) not (?:a )?(?:valid|recognized|supported) (?:option|argument|value|choice)",
        r"[Pp]lease (?:specify|provide|set|pass)", r"FP16 ", r"^[Uu]sage: ", r"Got unexpected extra argument",
        r"requires --?\w", r"Could not override", r"missing \d+ required positional argument",
    ),
    _rule(
        "config-or-arguments",
        r"^(?:\w+\.)*(?:ValueError|TypeError|AttributeError|KeyError|AssertionError)\b",
        context=r"parse_args|ArgumentParser|argparse|parse_args_into_dataclasses|\bargs\.\w+\)?$|yaml\.|hydra",
    ),
    _rule(
        "dataset-format",
        r"JSONDecodeError", r"ParserError", r"^UnicodeDecodeError", r"EmptyDataError",
        r"DatasetGeneration(?:Cast)?Error", r"Unknown split", r"Column .*not in", r"[Cc]olumns? \[",
        r"Column name \[", r"Columns? (?:name )?.* not in the dataset", r"^KeyError: .*[Cc]olumn",
        r"num_samples should be a positive", r"num_samples=0",
        r"Length of values \(\d+\) does not match", r"dictionary format",
        r"invalid literal for int\(\) with base 10", r"could not convert string to float",
        r"inconsistent len", r"Dataset not found", r"Instruction \"\w+\" corresponds to no data",
        r"^ZeroDivisionError", r"(?:different|mismatched?) number of ",
        r"Expected \d+ fields", r"arrays must all be ",
        r"Usecols do not match", r"None of \[.*\] are in the", r"not a valid JSON",
        r"^(?:\w+\.)*ArrowInvalid", r"least populated class", r"empty (?:dataset|vocabulary)",
        r"found array with 0 sample", r"Found input variables with inconsistent",
        r"Extra data: line", r"[Bb]ad (?:line|format|split)", r"k-fold cross-validation requires",
        r"n_splits=", r"test_size=",
    ),
    _rule(
        "file-not-found",
        r"(?:FileNotFoundError|NotADirectoryError|IsADirectoryError)\b", r"No such file or directory",
        r"can't open file", r"non-existent directory", r"cannot (?:access|stat|open|find)",
        r"[Ff]ile .*(?:not found|does not exist|doesn't exist)", r"does not exist\b", r"Unable to find",
        r"Incorrect path_or_model_id", r"^OSError: (?:file|Error no file|\[Errno)", r"not a directory",
        r"Is a directory", r"FileExistsError", r"Could not open requirements file",
        r"not found in (?:the )?(?:current )?(?:directory|folder)", r"path .*not exist",
    ),
    _rule(
        "dataset-format",
        r"^(?:\w+\.)*(?:KeyError|IndexError|ZeroDivisionError|AssertionError|ValueError|TypeError|"
        r"AttributeError|RuntimeError|NotImplementedError)\b",
        context=_DATA_CODE,
    ),
    _rule(
        "shape-or-type-error",
        r"^(?:\w+\.)*\w*(?:Error|Exception|Interrupt)\b(?:: |:?$)",
    ),
)  # fmt: skip
"""Lines of a failed command, by class."""

TOO_LONG: Final = re.compile(
    r"Your command has already run for \d+ seconds"
    r"|.*(?:[Tt]imed? ?out|timeout) (?:after|of|reached|exceeded)"
    r"|.*TimeoutExpired"
    r"|.*(?:command|execution|process|cell) timed out"
    r"|Kernel interrupted\."
    r"|.*has no new output after"
)
"""Lines of a command that ran longer than it may."""

NOT_AN_ERROR: Final = re.compile(
    r"ERROR: pip's dependency resolver does not currently"
    r"|.*(?:Warning|WARNING|DEBUG|INFO)\b"
    r"|NameError: name '(?:continue_wait|interrupt|quit|exit)'"
    r"|Error: NameError: name '(?:continue_wait|interrupt)'"
    r"|KeyboardInterrupt"
    r"|\[?notice\]?"
    r"|.*`?resume_download`? is deprecated"
    r"|note: This (?:error|is an issue)"
    r"|.*\b0 error"
)
"""Lines that look like an error and stop nothing."""
