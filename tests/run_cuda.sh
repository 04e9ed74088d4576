#!/bin/sh
# Runs a shard of the tests on the GPU and adds a line to the record, if all pass.
# usage: run_cuda.sh native|ptx75|ptx80|sm8|sanitize record program...
shard=$1 record=$2
shift 2
cd "$(dirname "$0")/.." || exit 1
PATH=$PATH:/usr/local/cuda/bin
log=build/shard-$shard.log
case $shard in
native | ptx75 | ptx80) sh tests/run.sh "$@" >"$log" 2>&1; rc=$? ;;
sm8) GTR_TEST_MAX_SM=8 sh tests/run.sh "$@" >"$log" 2>&1; rc=$? ;;
sanitize)
    # the tools side by side, each with programs and logs of its own; files and double precision have nothing to do with the device, and
    # races in shared memory are looked for op by op: whole networks take racecheck minutes
    export GTR_TEST_SMALL=1
    rc=0
    for tool in memcheck racecheck initcheck synccheck; do
        dir=build/sanitize-$tool
        rm -rf $dir && mkdir -p $dir
        for t in "$@"; do
            case $tool$t in *test_files | *_double | racecheck*test_engine | racecheck*test_faults) ;; *) cp "$t" $dir/ ;; esac
        done
        options="--tool $tool"
        [ $tool = memcheck ] && options="$options --leak-check full"
        { echo "== compute-sanitizer $options"; WRAP="compute-sanitizer --error-exitcode 1 $options" sh tests/run.sh $dir/test_*; echo $? >$dir/rc; } >$dir/log 2>&1 &
    done
    wait
    cat build/sanitize-*/log >"$log"
    for tool in memcheck racecheck initcheck synccheck; do [ "$(cat build/sanitize-$tool/rc)" = 0 ] || rc=1; done ;;
*) echo "SHARD=native|ptx75|ptx80|sm8|sanitize"; exit 2 ;;
esac
cat "$log"
# each run.sh ends in a line of its own; a shard of several runs adds them up
counts=$(awk '/^== compute-sanitizer/ || NR == 1 { if (last != "") { split(last, n, /[^0-9]+/); p += n[1]; f += n[2]; s += n[3] } } /^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ { last = $0 }
    END { split(last, n, /[^0-9]+/); print p + n[1] " passed, " f + n[2] " failed, " s + n[3] " skipped" }' "$log")
[ $rc -eq 0 ] || { echo "shard $shard failed: $counts"; exit 1; }
if [ -n "$record" ]; then
    gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)
    echo "$(date -u +%F) $shard: $(sh tests/hash.sh | tr '\n' ' ')on $gpu: $counts" | tee -a "$record"
fi
echo "$counts"
