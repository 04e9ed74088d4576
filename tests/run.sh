#!/bin/sh
# Runs test programs, shows what they print, and adds up their last lines, "N passed, N failed, N skipped". A program that ends
# badly without a failed test counts as one. PROGRAM:2of6 is the third of six parts of a program's tests. WRAP: a command to run
# them under; NAMES: of tests, those alone; JOBS: so many programs at a time, each of which is shown, with its seconds, when it has
# ended; behind -- they run one at a time; GPUS: how many the machine has: programs at a time take them in turn. Programs of a build with
# CUDA (build/cuda, build/ptx*, build/emulated*) test that device: GTR_TEST_DEVICE says so.
passed=0 failed=0 skipped=0
run() {
    began=$(date +%s)
    case $1 in build/cuda/* | build/ptx* | build/emulated*) device=cuda ;; *) device=cpu ;; esac
    case $1 in build/ptx*) GPUTRAIN_KERNEL_ARCH=compute_$(expr "$1" : 'build/ptx\([0-9]*\)') && export GPUTRAIN_KERNEL_ARCH ;; esac
    part=${1##*:}
    [ "$part" = "$1" ] || { GTR_TEST_PART=${part%of*}/${part#*of} && export GTR_TEST_PART; }
    GTR_TEST_DEVICE=$device $WRAP "${1%:*}" $NAMES 2>&1
    echo "$? $(($(date +%s) - began))" >"$1.rc"
}
export GTR_TEST_SHARED=1
if [ "$1" = --log ]; then # number, program
    [ "${GPUS:-1}" = 1 ] || { CUDA_VISIBLE_DEVICES=$(($2 % GPUS)) && export CUDA_VISIBLE_DEVICES; }
    run "$3" >"$3.log"
    read -r rc seconds <"$3.rc"
    { echo "== $3, $seconds s"; cat "$3.log"; } >"$3.shown"
    cat "$3.shown" && rm "$3.shown"
    exit
fi
sum_up() { # program: adds its last line to the counts
    read -r rc seconds <"$1.rc"
    sum=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$1.log" | tail -n 1)
    set_of() { echo "$sum" | sed -E "s/.*(^| )([0-9]+) $1.*/\2/"; }
    if [ -n "$sum" ]; then
        passed=$((passed + $(set_of passed))) failed=$((failed + $(set_of failed))) skipped=$((skipped + $(set_of skipped)))
        [ "$rc" -eq 0 ] || [ "$(set_of failed)" -gt 0 ] || { echo "$1: exit status $rc"; failed=$((failed + 1)); }
    else
        echo "$1: ended without its last line, exit status $rc"
        failed=$((failed + 1))
    fi
}
at_a_time=${JOBS:-1} together='' all=''
for t in "$@"; do
    case $t in
    --) at_a_time=1; continue ;;
    *) all="$all $t" ;;
    esac
    [ "$at_a_time" = 1 ] || together="$together $t"
done
[ -z "$together" ] || printf '%s\n' $together | nl | xargs -P "$JOBS" -n 2 sh "$0" --log
for t in $all; do
    case " $together " in
    *" $t "*) ;;
    *) echo "== $t" && run "$t" | tee "$t.log" ;;
    esac
    sum_up "$t"
done
set -- $all
IFS='
'
for name in $(echo "$NAMES" | tr ' ' '\n') $GTR_TEST_ROW; do
    lacking=$(for t in "$@"; do grep -cxF "nothing here is named $name, which alone is no failure" "$t.log"; done | grep -c '^[1-9]')
    [ "$lacking" -lt $# ] || { echo "no program tests $name"; failed=$((failed + 1)); }
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
