#!/bin/sh
# Whether the working tree plans and computes what revision OLD does: builds tests/programs/oracle.c of this tree with the header of either, runs both side
# by side, and prints `equal: N lines`, or which cases differ and the first lines that do (all lines: build/oracle/old.txt and new.txt).
# usage: oracle.sh OLD [how] [option or case of oracle.c...]
#   how     nothing: on the CPU; --emulated: on a GPU in software (COMPUTE: 90a), without cases some that take minutes; --cuda: on the GPU here; --objects: compiled alone, to old/oracle.o and new/oracle.o, each for a gputrain_cuda.o where there is a GPU
# CC, CXX, CFLAGS: the compilers, and flags of both sides; TESTS=rev: that revision's tests for both, where this tree's need what OLD has not
cd "$(dirname "$0")/.." || exit 1
old=$1 how=cpu compute=${COMPUTE:-90a} dir=build/oracle
git rev-parse -q --verify "$old^{commit}" >/dev/null || { sed -n '2,8s/^# //p' "$0"; echo "no revision: '$old'"; exit 2; }
shift
case $1 in --emulated | --cuda | --objects) how=${1#--}; shift ;; esac
CC=${CC:-cc} CXX=${CXX:-c++} CFLAGS=${CFLAGS:--O1 -march=native -ffp-contract=off}
export GTR_GRAPHS="${GTR_GRAPHS:-tests/fixtures/graphs.bin}"
# On a GPU in software: networks of most kinds for a few steps, and the graphs.
few="mlp-small-b128 mlp-small-w783 field-64 mlp-deep two-heads siren chain4 separable conv-coder conv1d adamw nesterov streams micro-images block pictures element-wise attention cnn"
if [ $how = emulated ] && [ $# = 0 ]; then set -- --steps 6 plans graphs $(printf 'networks:%s ' $few); fi

sources() { # side, how a file of it is shown
    rm -rf $dir/"$1" && mkdir -p $dir/"$1"/tests || exit 1
    if [ -n "$TESTS" ]; then git archive "$TESTS" tests | tar -x -C $dir/"$1"
    else cp -r tests/*.h tests/programs tests/bench tests/emulated $dir/"$1"/tests; fi
    for f in gputrain.h gputrain_cuda.cu; do $2$f >$dir/"$1"/$f || exit 1; done
}
# The GPU's half of a side is compiled once.
gpu_object() {
    gpu=$PWD/$dir/$how-$compute-$(cat $dir/"$1"/gputrain* $dir/"$1"/tests/emulated/* | sha256sum | cut -c1-12).o
    [ ! -f "$gpu" ] || return 0
    case $how in
    emulated) CC=$CC sh $dir/"$1"/tests/emulated/build.sh "$PWD/$dir/$1/gpu.o" "$compute" ;;
    cuda) nvcc -O3 -c $dir/"$1"/gputrain_cuda.cu -o $dir/"$1"/gpu.o ;;
    esac && mv $dir/"$1"/gpu.o "$gpu"
}
build() {
    to=$dir/$1 source=$dir/$1/tests/programs/oracle.c
    [ -f "$source" ] || source=$dir/$1/tests/oracle.c # TESTS=rev, where programs had no folder
    case $how in
    cpu) $CC $CFLAGS -w "$source" -o "$to"/oracle -lm -pthread ;;
    *) $CC $CFLAGS -w -DGPUTRAIN_CUDA -c "$source" -o "$to"/oracle.o ;;
    esac || return 1
    case $how in
    emulated) gpu_object "$1" && $CXX -rdynamic "$to"/oracle.o "$gpu" -o "$to"/oracle -ldl -lm -pthread ;;
    cuda) gpu_object "$1" && nvcc "$to"/oracle.o "$gpu" -o "$to"/oracle -lm -lpthread ;;
    esac
}
run() { s=$1; shift; $dir/"$s"/oracle "$@" >$dir/"$s".txt 2>$dir/"$s".log; }
# What is done with old and new, side by side, or one after the other where they would share the GPU.
both() {
    job=$1
    shift
    $job old "$@" & first=$!
    [ "$job$how" != runcuda ] || { wait $first && $job new "$@"; return; }
    $job new "$@"
    second=$?
    wait $first && return $second
}

sources old "git show $old:" && sources new "cat " || exit 1
rm -r $dir/old/tests/emulated && git archive "$old" tests/emulated | tar -x -C $dir/old # it translates what the .cu of its revision says
both build || exit 1
[ $how != objects ] || { ls $dir/old/oracle.o $dir/new/oracle.o; exit; }
both run "$@" || { tail -n 3 $dir/old.log $dir/new.log; echo "not compared: a side ended badly"; exit 1; }
sed -n 1p $dir/new.log
n=$(wc -l <$dir/new.txt)
[ "$n" -gt 0 ] || { echo "there is no such case"; exit 1; }
if cmp -s $dir/old.txt $dir/new.txt; then echo "equal: $n lines"; exit; fi
diff $dir/old.txt $dir/new.txt >$dir/differences
cases=$(sed -n 's/^[<>] \([^ ]* [^ ]*\).*/\1/p' $dir/differences | sort -u)
echo "$cases" | head -n 20
sed -n '1,10p' $dir/differences | cut -c1-300
echo "$(echo "$cases" | wc -l) cases differ"
exit 1
