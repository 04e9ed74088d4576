#!/bin/sh
# Fashion-MNIST, gunzipped, into build/fashion: from the folder given, else from the Debian package, without root.
# usage: get_data.sh [folder]
set -e
cd "$(dirname "$0")/../.."
mkdir -p build/fashion
from=$1
if [ -z "$from" ]; then
    from=/usr/share/datasets/fashion-mnist
    if [ ! -d "$from" ]; then
        mkdir -p build/deb
        ls build/deb/dataset-fashion-mnist_*.deb >/dev/null 2>&1 || (cd build/deb && apt-get download dataset-fashion-mnist) ||
            { echo 'apt-get cannot get dataset-fashion-mnist: give the folder of the four files as FASHION_MNIST=folder'; exit 1; }
        dpkg -x build/deb/dataset-fashion-mnist_*.deb build/deb
        from=build/deb/usr/share/datasets/fashion-mnist
    fi
fi
for f in train-images-idx3-ubyte train-labels-idx1-ubyte t10k-images-idx3-ubyte t10k-labels-idx1-ubyte; do
    if [ -f "$from/$f" ]; then [ "$from" -ef build/fashion ] || cp "$from/$f" build/fashion/
    elif [ -f "$from/$f.gz" ]; then gunzip -c "$from/$f.gz" >"build/fashion/$f.part" && mv "build/fashion/$f.part" "build/fashion/$f"
    else echo "$from holds neither $f nor $f.gz"; exit 1; fi
done
ls -l build/fashion
