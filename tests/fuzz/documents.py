"""Sound documents of every format, and pieces of text that mean something in them: what fuzzing starts from."""

import io
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.examples.example_set import make_examples, save_examples
from tests.conftest import network_of

NETWORK = network_of([(0, 1, 1), (1, 2, 2), (2, 0, 3), (2, 3, 4), (3, 4, 5), (4, 2, 6), (0, 3, 7), (1, 4, 8)])

DBLP = b"""<?xml version="1.0" encoding="ISO-8859-1"?>
<!DOCTYPE dblp SYSTEM "dblp.dtd">
<dblp>
<article key="a"><author>Ann</author><author>Bob &uuml;</author><title>T <i>x</i></title><year>2001</year></article>
<inproceedings key="b"><author>Ann</author><author>Cid</author><author>Dan</author><year>2003</year></inproceedings>
</dblp>
"""
TMALL = b"""user_id,item_id,cat_id,seller_id,brand_id,time_stamp,action_type
1,7,3,4,5,829,2
2,8,3,4,5,1111,2
1,8,3,4,5,1111,0
"""
YELP = b"""{"review_id":"a","user_id":"u","business_id":"b","stars":4.0,"date":"2018-07-07 22:09:11","text":"x"}
{"review_id":"c","user_id":"v","business_id":"b","stars":1.0,"date":"2017-01-02","text":"\\u00e9"}
"""
REPEATS_COLUMNS = "dataset,method,seed,draw,protocol,split,operator,subset,metric,value,status,reason"
REPEATS = (
    REPEATS_COLUMNS.encode()
    + b"\ntoy,random,1,1,paper,1,hadamard,all,auc,0.5,ok,\ntoy,random,1,1,paper,2,hadamard,all,auc,,failed,why not\n"
)
WORD2VEC = b"2 3\n0 1 2 3\n1 4 5 6\n"
WORD2VEC_ALL = b"5 1\n" + b"".join(b"%d 1.5\n" % node for node in range(5))

NUMBERS = (b"-1", b"1e999", b"nan", b"9" * 25, b"0" * 20 + b"1", b"1_0", "٣".encode(), b"0x10", b"-0", b"1" * 5000)
TABLE = (*NUMBERS, b",", b"\t", b" ", b'"', b'""', b"\r\n", b"\n\n", b"#", b"%", b"\0", b"\xff", b"\xef\xbb\xbf", b"\r")
DATES = (b"2020-02-30", b"9999-12-31", b"0001-01-01", b"T24:00:00", b"+99:00", b"NaT", b"now", b".000000001")
# Deeper than Python's stack; each level costs the YAML reader more than the one before.
NESTED = "[" * 1200
YAML = tuple(
    word.encode()
    for word in (
        *(": ", "- ", "[", "]", "{", "}", "null", "true", "~", "&a ", "*a", "<<: ", "|\n", "'", '"', "\n  ", NESTED),
        *("!!python/object/apply:os.system ", "!!set ", "!!binary ", "2020-99-99", "..", "/", "$(id)", "; id", "\x85"),
        *("name: a\n    path: b", "datasets: ", "methods: ", "parameters: ", "type: ", "default: ", "pattern: '('"),
        *("$ref: x", "{edges}", "{0}", "variants:\n  X: 1\n", "urls: ", "generate: ", "file:///", "NaN", ".inf"),
    )
)
XML = tuple(
    word.encode()
    for word in (
        *("<author>", "</author>", "<year>", "</year>", "<article>", "</article>", "&amp;", "&nope;", "&#0;", "<!--"),
        *("<!ENTITY a 'b'>", "<!DOCTYPE dblp [<!ENTITY a 'b'>]>", "<![CDATA[", "]]>", "<?x y?>", "2016", "-1", "٢٠١٦"),
        "1" * 5000,
    )
)
JSON = (*NUMBERS, b'"', b"{", b"}", b"[" * 2000, b"[]", b"\\ud800", b"null", b"\\u0000", b"\n", b'"date":', b"\xff")
NPY = (
    *(b"'|O'", b"(5, 9999999999999)", b"True", b"'<f2'", b"'<c8'", b"'<M8[s]'", b"(5, -2)", b"(" * 100, b"()"),
    *(b"\x93NUMPY\x02", b"(5, 0)", b"__import__('os')"),
)
ARROW = (b"\xff" * 4, b"\0" * 8, b"\x7f" * 4, b"{", b"source", b"labels")


def written(write: Callable[[Path], Any], name: str = "document") -> bytes:
    """What a function that writes files puts into one."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        write(path)
        return path.read_bytes()


def npy_files() -> list[bytes]:
    arrays = [np.arange(10, dtype=kind).reshape(5, 2) for kind in (np.float32, np.float64, np.int64)]
    return [written(partial(np.save, arr=array), "document.npy") for array in arrays]


def examples_file() -> bytes:
    examples = make_examples(NETWORK, start=5, end=8, strategies=["uniform"], seed=1, draw=1)
    return written(partial(save_examples, examples))


def zip_file() -> bytes:
    contents = io.BytesIO()
    with zipfile.ZipFile(contents, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("folder/edges.txt", b"1 2 3\n2 3 4\n" * 3)
        archive.writestr("../edges.txt", b"1 2 3\n")
    return contents.getvalue()


def tar_file() -> bytes:
    contents = io.BytesIO()
    with tarfile.open(fileobj=contents, mode="w") as archive:
        for name in ("../folder/edges.txt", "folder/edges.txt"):
            member = tarfile.TarInfo(name)
            member.size = 12
            archive.addfile(member, io.BytesIO(b"1 2 3\n2 3 4\n"))
    return contents.getvalue()
