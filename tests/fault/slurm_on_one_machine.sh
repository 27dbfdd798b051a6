#!/usr/bin/env bash
# Slurm on this machine alone, as root, with two nodes of two processors that are not there.
#
#   slurm_on_one_machine.sh start FOLDER     then: export SLURM_CONF=FOLDER/slurm.conf
#   slurm_on_one_machine.sh stop FOLDER
#
# Debian packages: slurm-wlm slurmd slurmctld munge. Ends only what it has started.
set -euo pipefail
action="$1" folder="$(realpath -m "$2")"
host="$(hostname -s)"
port=17400  # four ports from here on

configuration() {
  cat <<EOF
ClusterName=here
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
StateSaveLocation=$folder/state
SlurmctldPidFile=$folder/slurmctld.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdPidFile=$folder/slurmd.%n.pid
SlurmdLogFile=$folder/slurmd.%n.log
SlurmdSpoolDir=$folder/spool.%n
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
EOF
  for i in 1 2; do
    echo "NodeName=n$i NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + i)) CPUs=2 RealMemory=1000"
  done
  echo "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP"
}

case "$action" in
  start)
    mkdir -p "$folder"/{state,spool.n1,spool.n2}
    chmod 755 "$folder"
    dd if=/dev/urandom of="$folder/munge.key" bs=1024 count=1 status=none
    chmod 600 "$folder/munge.key"
    munged --force --key-file "$folder/munge.key" --socket "$folder/munge.socket" \
      --pid-file "$folder/munged.pid" --log-file "$folder/munged.log" --seed-file "$folder/munged.seed" \
      > /dev/null 2>&1 < /dev/null
    configuration > "$folder/slurm.conf"
    export SLURM_CONF="$folder/slurm.conf"
    for daemon in slurmctld "slurmd -N n1" "slurmd -N n2"; do
      $daemon > /dev/null 2>&1 < /dev/null  # it stays, and must not hold the caller's pipes
    done
    for _ in $(seq 100); do
      [[ "$(sinfo --noheader --states idle --format %D 2> /dev/null)" == 2 ]] && exit 0
      sleep 0.1
    done
    echo "the nodes do not come up: see $folder/*.log" >&2
    exit 1
    ;;
  stop)
    for file in "$folder"/slurmd.*.pid "$folder/slurmctld.pid" "$folder/munged.pid"; do
      [[ -s "$file" ]] && kill "$(cat "$file")" || true
    done
    ;;
esac
