"""A real SLURM on this machine: Debian's packages, one node on the loopback address, taken down at the end.

Needs root, or sudo without a password. No systemd, control groups or accounting database are needed. Everything lies in
one folder of its own, except slurm.conf: the executor plugin removes all SLURM_* variables, so that the jobs find their
controller only through /etc/slurm.
"""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

PACKAGES = ("slurmctld", "slurmd", "slurm-client", "munge")
CONFIGURATION = Path("/etc/slurm/slurm.conf")
# Debian's switch for "install, but start nothing".
START_POLICY = Path("/usr/sbin/policy-rc.d")
NODE = "loopback"
PARTITION = "main"
PROCESSORS = 8

# The node claims more memory than a small machine has, so that the profile's requests can be met, and more cores, so
# that the executor, which asks less and less often as long as no job ends, always finds one that did. SLURM is told to
# believe it (config_overrides), and memory is not shared out (CR_Core).
SLURM_CONF = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
MinJobAge=3600
SchedulerParameters=sched_interval=1,bf_interval=1
KillWait=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
NodeName={node} NodeAddr=127.0.0.1 NodeHostname={node} CPUs={processors} RealMemory=64000 State=UNKNOWN
PartitionName={partition} Nodes={node} Default=YES MaxTime=INFINITE State=UP
"""


@contextmanager
def one_node_cluster() -> Iterator[Path]:
    """Yield the folder with the daemons' logs while SLURM runs; afterwards no daemon and no slurm.conf is left."""
    if CONFIGURATION.exists():
        raise RuntimeError(f"{CONFIGURATION}: this machine has a SLURM of its own, which the test leaves alone")
    # Whoever ends the test politely (a time limit, a closed terminal) shall not leave the daemons behind.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    install()
    folder = Path(tempfile.mkdtemp(prefix="one-node-slurm-"))
    folder.chmod(0o755)  # munged and the jobs pass through it
    try:
        start_munge(folder / "munge")
        start_slurm(folder)
        yield folder
    except BaseException:
        for log in ("munge/log", "slurmctld.log", "slurmd.log"):
            print(f"--- {log}\n{as_root('tail', '-n', '20', str(folder / log), check=False)}")
        raise
    finally:
        stop(folder)


def as_root(*command: str, timeout: int = 60, check: bool = True) -> str:
    prefix = [] if os.geteuid() == 0 else ["sudo", "--non-interactive"]
    done = subprocess.run(
        [*prefix, *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=timeout,
        check=False,
    )
    if check and done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with exit code {done.returncode}: {done.stdout[-2000:]}")
    return done.stdout


def install() -> None:
    if all(shutil.which(program) for program in ("slurmctld", "slurmd", "sbatch", "munged")):
        return
    quiet = not START_POLICY.exists()
    if quiet:
        as_root("sh", "-c", f"printf '#!/bin/sh\\nexit 101\\n' > {START_POLICY} && chmod 755 {START_POLICY}")
    try:
        as_root("apt-get", "update", timeout=300)
        as_root(
            "env",
            "DEBIAN_FRONTEND=noninteractive",
            "apt-get",
            "install",
            "--yes",
            "--no-install-recommends",
            *PACKAGES,
            timeout=600,
        )
    finally:
        if quiet:
            as_root("rm", "-f", str(START_POLICY))


def start_munge(folder: Path) -> None:
    """A munge of our own, so that one that runs here already is not disturbed; it insists on private folders."""
    folder.mkdir(mode=0o755)
    (folder / "key").write_bytes(os.urandom(1024))
    (folder / "key").chmod(0o400)
    as_root("chown", "-R", "munge:munge", str(folder))
    command = ["runuser", "-u", "munge", "--", "munged", f"--key-file={folder}/key", f"--socket={folder}/socket"]
    command += [f"--pid-file={folder}/pid", f"--log-file={folder}/log", f"--seed-file={folder}/seed"]
    as_root(*command)
    wait_for("munged", lambda: (folder / "socket").exists())


def start_slurm(folder: Path) -> None:
    host = socket.gethostname().split(".")[0]
    text = SLURM_CONF.format(folder=folder, host=host, node=NODE, partition=PARTITION, processors=PROCESSORS)
    (folder / "slurm.conf").write_text(text)
    for name in ("state", "spool"):
        (folder / name).mkdir()
    as_root("chown", "-R", "root", str(folder / "state"), str(folder / "spool"))
    as_root("install", "-D", "-m", "644", str(folder / "slurm.conf"), str(CONFIGURATION))
    as_root("slurmctld", "-c")
    as_root("slurmd", "-N", NODE)
    wait_for("the node", lambda: "idle" in as_root("sinfo", "--noheader", "--format=%T", check=False, timeout=20))


def wait_for(what: str, ready: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > deadline:
            raise RuntimeError(f"{what} was not ready after {seconds} s")
        time.sleep(0.2)


def stop(folder: Path) -> None:
    """Stop what was started, gently, then by its process id; every step is tried whatever became of the others."""
    if CONFIGURATION.exists():
        as_root("scancel", f"--partition={PARTITION}", check=False, timeout=20)
    for name in ("slurmd.pid", "slurmctld.pid", "munge/pid"):
        end_process(folder / name)
    as_root("rm", "-f", str(CONFIGURATION), check=False)
    as_root("rmdir", "--ignore-fail-on-non-empty", str(CONFIGURATION.parent), check=False)
    as_root("rm", "-rf", str(folder), check=False)


def end_process(pid_file: Path) -> None:
    pid = as_root("cat", str(pid_file), check=False).strip()
    if not pid.isdecimal():
        return
    as_root("kill", pid, check=False)
    deadline = time.monotonic() + 10
    while Path("/proc", pid).exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    as_root("kill", "-9", pid, check=False)
