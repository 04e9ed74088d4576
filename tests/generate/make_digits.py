#!/usr/bin/env python3
"""Writes examples/digits.csv: 1797 rows of 64 pixels (0 to 16, 8x8, row by row) and the digit's class.

Source: E. Alpaydin and C. Kaynak, "Optical Recognition of Handwritten Digits", UCI Machine Learning Repository, 1998,
https://doi.org/10.24432/C50P49, licence CC BY 4.0: its test part, as scikit-learn packages it (sklearn.datasets.load_digits).
usage: make_digits.py [path]
"""
import sys
from sklearn.datasets import load_digits

data = load_digits()
path = sys.argv[1] if len(sys.argv) > 1 else "examples/digits.csv"
with open(path, "w", newline="\n") as out:
    for pixels, label in zip(data.data.astype(int), data.target):
        out.write(",".join(map(str, pixels)) + f",{label}\n")
