#!/bin/sh
# Runs a shard of the tests on the GPU and adds a line to the record, if all pass.
# usage: run_cuda.sh all|native|ptx75|ptx80|sm8|sanitize|sanitize-all record program...
# all: native to sm8 side by side, then sanitize, given the native build's programs; build/ptx75 and build/ptx80 have the same.
# native has compose, too: 500 graphs in each of four precisions; sm8, ptx75 and ptx80 leave out files, texts, vector math and what is
# refused, which have nothing to do with the device's size or instructions.
# It takes many minutes, so it says when each of the four has ended, and the record gets them before sanitize begins.
shard=$1 record=$2
shift 2
cd "$(dirname "$0")/.." || exit 1
PATH=$PATH:/usr/local/cuda/bin
GPUS=${GPUS:-$(nvidia-smi --list-gpus | wc -l)}
export GPUS
programs_of() { # shard, programs: those that it runs
    of=$1
    shift
    if [ "$of" = native ]; then printf '%s\n' "$@" build/cuda/compose
    else printf '%s\n' "$@" | grep -vE '/test_(files|readers|vmath|ops_double|mistakes.*)$'; fi
}
# Programs side by side, those that take long in parts, which begin first; but driver_memory, which weighs the GPU's free memory, runs behind them, alone.
in_parts() { # programs
    for t in "$@"; do
        parts=1
        case $t in */test_engine | */test_graphs | */test_networks) parts=6 ;; */test_ops | */test_chain) parts=12 ;; */test_sequences | */test_torch | */test_presets) parts=4 ;; */test_images) parts=6 ;; */compose) parts=32 ;; esac
        for k in $(seq 0 $((parts - 1))); do echo "$parts $t:${k}of$parts"; done
    done | sort -s -k 1,1nr | cut -d ' ' -f 2
}
run() { # shard; what driver_memory is: GTR_TEST_LEAVE, left out, or NAMES, alone; programs
    [ "$1" != sm8 ] || export GTR_TEST_MAX_SM=8
    of=$2
    shift 2
    env "$of=driver_memory" sh tests/run.sh "$@" 2>&1
}
alone() { # shard, programs
    s=$1
    shift
    echo "== alone"
    run "$s" NAMES $(printf '%s\n' "$@" | grep '/test_engine$')
}
finish() { # shard, its exit status, its seconds: adds a line to the record, or says what failed
    # each run.sh ends in a line of its own; a shard of several runs adds them up
    counts=$(awk '/^== (alone|compute-sanitizer)/ || NR == 1 { if (last != "") { split(last, n, /[^0-9]+/); p += n[1]; f += n[2]; s += n[3] }; last = "" } /^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ { last = $0 }
        END { split(last, n, /[^0-9]+/); print p + n[1] " passed, " f + n[2] " failed, " s + n[3] " skipped" }' build/shard-"$1".log)
    if [ "$2" -ne 0 ]; then
        grep -E '^FAIL |without its last line|exit status [1-9]' build/shard-"$1".log | head -n 50
        echo "shard $1 failed: $counts, $3 s"
        return 1
    fi
    echo "shard $1: $counts, $3 s"
    [ -n "$record" ] || return 0
    gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)
    echo "$(date -u +%F) $1: $(sh tests/hash.sh | tr '\n' ' ')on $gpu: $counts" | tee -a "$record"
}
begin=$(date +%s) failed=0 show=cat
if [ "$shard" = all ]; then
    # Each shard runs in a folder of its own, with what tests read.
    rm -rf build/side
    JOBS=$((($(nproc) + 3) / 4))
    export JOBS
    for s in native ptx75 ptx80 sm8; do
        from=build/cuda list=
        case $s in ptx*) from=build/$s ;; esac
        for t in $(programs_of $s "$@"); do list="$list $from/$(basename "$t")"; done
        mkdir -p build/side/$s/$from
        cp -r tests build/side/$s
        ln $list build/side/$s/$from
        (
            cd build/side/$s && run $s GTR_TEST_LEAVE $(in_parts $list)
            rc=$? seconds=$(($(date +%s) - begin))
            echo "$rc $seconds" >rc
            echo "shard $s: its programs side by side ended after $seconds s, exit status $rc" >&3
        ) 3>&1 >build/shard-$s.log &
    done
    wait
    for s in native ptx75 ptx80 sm8; do
        read -r rc seconds <build/side/$s/rc
        begin=$(date +%s)
        (cd build/side/$s && alone $s $(ls build/*/test_*)) >>build/shard-$s.log || rc=1
        finish $s "$rc" "$((seconds + $(date +%s) - begin))" || failed=1
    done
    begin=$(date +%s) shard=sanitize show=:
fi
log=build/shard-$shard.log
case $shard in
native | ptx75 | ptx80 | sm8)
    export JOBS=$(nproc)
    run $shard GTR_TEST_LEAVE $(in_parts $(programs_of $shard "$@")) >"$log"; rc=$?
    alone $shard "$@" >>"$log" || rc=1 ;;
sanitize | sanitize-all)
    # Each tool over each program's tests, cut into jobs that run side by side, for most of a job is waiting. memcheck runs all of them; the other
    # tools, which take minutes for a whole network, run op by op, and a chain; sanitize-all has them run all. The longest begin first. What still
    # runs after 330 s (an hour) is ended, and has failed. Files, builders' errors and vector math have nothing to do with the device.
    limit=330
    [ $shard = sanitize ] || limit=3600
    dir=build/sanitize
    rm -rf $dir && mkdir -p $dir
    for tool in memcheck racecheck initcheck synccheck; do
        for t in "$@"; do
            name=$(basename "$t") jobs=3 only=.
            case $name in test_files | test_vmath | *_double) continue ;; test_engine) jobs=10 ;; test_images) jobs=15 ;; test_sequences) jobs=6 ;; test_goldens | test_losses | test_stream) jobs=5 ;; esac
            # racecheck loses track where some warps arrive at a barrier that others wait at, as halves of a chain's warps do: it reports even what
            # a barrier of all threads lies between
            case $shard$tool$name in
            *racechecktest_chain) continue ;;
            sanitize-all* | sanitizememcheck* | *test_ops) ;;
            *test_chain) only='^(kept|guarded)$' jobs=2 ;;
            *) continue ;;
            esac
            grep -oE '^ +RUN(_IN_PARTS|_ROWS)?\([a-z_0-9]+\)|^ON_CUDA\([a-z_0-9]+' tests/programs/"$name".c | sed -E 's/.*\(([a-z_0-9]+)\)?/\1/' | grep -vE '^(bad_|bits$|cpu_|cuda_kernels$)' | grep -E "$only" | sort -u |
                awk -v jobs=$jobs -v job="$tool $t 0/1" '{ list[NR % jobs] = list[NR % jobs] " " $1 } END { for (k in list) print job list[k] }'
            [ "$name" != test_torch ] || for k in 0 1 2 3 4 5; do echo "$tool $t $k/6 random_graphs"; done
            [ "$name" != test_ops ] || for k in 0 1 2 3 4 5 6 7; do echo "$tool $t $k/8 cuda_kernels"; done
        done
    done >$dir/all
    long='^memcheck .*test_(images|stream|engine|sequences)'
    { grep -E "$long" $dir/all; grep -vE "$long" $dir/all; } >$dir/jobs
    GTR_JOB_END=$(($(date +%s) + limit))
    export GTR_JOB_END
    # a job takes up to some 2 GiB of the GPU's memory
    most=$(nvidia-smi --query-gpu=memory.free --format=csv,noheader,nounits | sort -n | awk -v n="$(nproc)" 'NR == 1 { k = int($1 / 2560) } END { k *= NR; print k < 1 ? 1 : k < n ? k : n }')
    nl -w 1 -s ' ' $dir/jobs | xargs -P "$most" -L 1 sh tests/run_cuda.sh job
    cat $dir/*.log $dir/*.said >"$log"
    rc=0
    for k in $(seq "$(wc -l <$dir/jobs)"); do [ "$(cat $dir/$k.rc)" = 0 ] || rc=1; done ;;
job) # number, tool, program, part, tests
    job=$record tool=$1 program=$2 part=$3
    shift 3
    options="--tool $tool"
    [ "$tool" = memcheck ] && options="$options --leak-check full"
    start=$(date +%s)
    left=$((GTR_JOB_END - start))
    [ $left -gt 0 ] || left=1
    [ "$GPUS" = 1 ] || { CUDA_VISIBLE_DEVICES=$((job % GPUS)) && export CUDA_VISIBLE_DEVICES; }
    echo "== compute-sanitizer $options $program $part $*" >build/sanitize/"$job".log
    GTR_TEST_SMALL=1 GTR_TEST_SHARED=1 GTR_TEST_DEVICE=cuda GTR_TEST_PART=$part timeout -k 5 $left compute-sanitizer --error-exitcode 1 $options "$program" "$@" >>build/sanitize/"$job".log 2>&1
    rc=$?
    echo $rc >build/sanitize/"$job".rc
    echo "$tool $(basename "$program") $part $*: exit status $rc, $(($(date +%s) - start)) s, $(grep -E '^[0-9]+ passed' build/sanitize/"$job".log)" >build/sanitize/"$job".said
    exit 0 ;;
*) echo "SHARD=all|native|ptx75|ptx80|sm8|sanitize|sanitize-all"; exit 2 ;;
esac
$show "$log"
finish $shard $rc $(($(date +%s) - begin)) && exit $failed
