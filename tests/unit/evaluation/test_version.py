"""The version of the evaluation changes with what decides a number, and with nothing else."""

from evaluation.version import CODE, FOLDER, code_hash, code_version, version_on


def test_words_about_the_code_do_not_change_its_version():
    bare = "def auc(x):\n    return x + 1\n"
    told = '"""A file."""\n\n# a comment\ndef auc(x):\n    """One more."""\n    return x + 1  # why\n'
    assert code_hash([bare]) == code_hash([told])
    assert code_hash([bare]) != code_hash([bare.replace("1", "2")])


def test_every_file_that_decides_a_number_is_there():
    assert all((FOLDER / name).is_file() for names in CODE.values() for name in names)


def test_results_name_code_and_examples():
    assert version_on("link prediction", "0123456789abcdef") == f"{code_version('link prediction')}-01234567"
