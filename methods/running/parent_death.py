"""A process that ends with the one that started it, however that one ends (`kill -9` too).

Linux does it by itself (PR_SET_PDEATHSIG): the kernel kills this process, and those that its main thread forks through
Python, when their parent is gone. Elsewhere a thread looks once a second. What a method starts with `subprocess`, or
forks from another thread, has no such bond; it is ended with the fit in every case but `kill -9` of the parent.
"""

import ctypes
import os
import signal
import sys
import threading
import time

_PR_SET_PDEATHSIG = 1
# To Linux the parent is the thread that forked, and the threads of a pool end long before their process does.
_forking = threading.local()


def end_with_parent(parent: int) -> None:
    """Bind this process to `parent`, its parent, and end at once if that is gone already."""
    if sys.platform == "linux":
        kill_with_parent()
        os.register_at_fork(before=_note_thread, after_in_child=_kill_with_main_thread)
    else:
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    if os.getppid() != parent:
        os._exit(1)


def kill_with_parent() -> None:
    """Ask Linux to kill this process when its parent ends; does nothing elsewhere. Lasts through an exec."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _note_thread() -> None:
    _forking.by_main_thread = threading.current_thread() is threading.main_thread()


def _kill_with_main_thread() -> None:
    if _forking.by_main_thread:
        kill_with_parent()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)
