#!/usr/bin/env bash
# Runs a Docker engine until standard input closes, which it does also when the process at its other end is killed; then
# ends every process and removes what the engine made. Has to be process 1 of namespaces of its own (processes, mounts,
# network): no engine of the machine is touched, and nothing it starts can outlive it.
directory=$1
cgroup=$2

main() {
  mount -t tmpfs tmpfs /etc/docker # another engine's settings
  ip link set lo up
  trap 'leave 1' USR1
  {
    dockerd --host "unix://$directory/docker.sock" --data-root "$directory/data" --exec-root "$directory/exec" \
      --pidfile "$directory/pid" --cgroup-parent "/$cgroup" --exec-opt native.cgroupdriver=cgroupfs \
      >"$directory/log" 2>&1 </dev/null
    kill -USR1 1
  } &
  disown
  read -r _
  leave 0
}

leave() {
  trap '' USR1
  # A process frozen by a version 1 cgroup does not even die.
  for state in /sys/fs/cgroup/freezer/"$cgroup"/*/freezer.state; do
    [[ -e $state ]] && echo THAWED >"$state"
  done
  while kill -KILL -1 2>/dev/null; do sleep 0.02; done
  while read -r _ target _; do printf '%s\n' "$target"; done </proc/self/mounts |
    grep "^$directory/" | sort -r | xargs -r umount --lazy
  find /sys/fs/cgroup -depth -type d -path "*/$cgroup*" -exec rmdir {} +
  (($1 == 0)) && rm -rf "$directory"
  exit "$1"
}

main
