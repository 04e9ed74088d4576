"""Writes tests/tables/metrics.h: what scikit-learn says of drawn scores and labels, which test_metrics.c compares
gtr_evaluate_metrics with.
    python3 tests/generate/gen_metrics.py"""
import os
import re
import warnings
import numpy as np
import sklearn
from sklearn import metrics as M

warnings.simplefilter("ignore")
HEADER = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../gputrain.h")).read()
NAMES = re.findall(r"X\((\w+), ", HEADER.split("#define GTR__METRICS(X)")[1].split("#define")[0])[2:]  # but LOSS, TENSOR
draw = np.random.default_rng(17)
scores, labels, cases = [], [], []


def three(v, average, y, said):
    f = {"": "binary", "_MACRO": "macro", "_MICRO": "micro"}[average]
    v["PRECISION" + average] = M.precision_score(y, said, average=f)
    v["RECALL" + average] = M.recall_score(y, said, average=f)
    v["F1" + average] = M.f1_score(y, said, average=f)


def case(kind, s, y, v, confusion=(), **how):
    """kind: 0 classes, 1 labels, 2 targets."""
    s = np.asarray(s, np.float32)
    if s.ndim == 1:
        s = s[:, None]
    s = s.reshape(s.shape[0], s.shape[1], -1)
    fields = {"top_k": 0, "threshold": 0, "ignore_index": 0, "ignore_zero": 0, "probabilities": 0, "floats": kind == 2}
    fields.update(how)
    cases.append((kind, s.shape[0], s.shape[1], s.shape[2], len(scores), len(labels), fields,
                  [float(v.get(n, float("nan"))) for n in NAMES], np.asarray(confusion).ravel().tolist()))
    scores.extend(s.ravel().tolist())
    labels.extend(np.asarray(y, np.float64).ravel().tolist())


def classes(n, c, inner=1, grid=8, absent=(), ignored=0.0, ignore=None, k=5, probabilities=False, **how):
    s = np.round(draw.normal(size=(n, c, inner)) * grid) / grid
    y = draw.choice([i for i in range(c) if i not in absent], size=(n, inner))
    for i in range(n):
        for j in range(inner):
            s[i, y[i, j], j] += 1
    if probabilities:
        e = np.exp(s - s.max(1, keepdims=True))
        s = (e / e.sum(1, keepdims=True)).astype(np.float32).astype(np.float64)
    out = draw.random(size=y.shape) < ignored
    y = np.where(out, -1 if ignore is None else ignore, y)
    flat = s.transpose(0, 2, 1).reshape(-1, c)
    yy = y.ravel()
    keep = yy >= 0 if ignore is None else yy != ignore
    flat, yy = flat[keep], yy[keep]
    said = flat.argmax(1)
    v = {"ACCURACY": M.accuracy_score(yy, said)}
    # its own for two classes thresholds one score: a stable sort has equals, of which the last ones count
    order = np.argsort(flat, axis=1, kind="stable")[:, ::-1][:, :k]
    v["TOP_K"] = float((order == yy[:, None]).any(1).mean())
    if c > 2 and len(np.unique(yy)) == c:
        assert v["TOP_K"] == M.top_k_accuracy_score(yy, flat, k=k)
    three(v, "_MACRO", yy, said)
    three(v, "_MICRO", yy, said)
    p = flat if probabilities else np.exp(flat) / np.exp(flat).sum(1, keepdims=True)
    if c == 2:
        three(v, "", yy, said)
        v["AUC"] = M.roc_auc_score(yy, p[:, 1] if probabilities else flat[:, 1] - flat[:, 0])
    elif len(np.unique(yy)) == c:
        # what is equal but for the order of a sum is equal once it is rounded
        rounded = np.float32(p if probabilities else flat - np.log(np.exp(flat).sum(1, keepdims=True)))
        v["AUC"] = np.mean([M.roc_auc_score(yy == i, rounded[:, i]) for i in range(c)])
        if not probabilities and grid >= 1000:
            assert abs(v["AUC"] - M.roc_auc_score(yy, p, multi_class="ovr")) < 1e-12
    case(0, s, y, v, M.confusion_matrix(yy, said, labels=range(c)), top_k=k, probabilities=probabilities,
         ignore_index=ignore or 0, ignore_zero=ignore == 0, **how)


def binary(n, k=1, inner=1, grid=4, threshold=0.5, probabilities=False, floats=False, ignored=0.0):
    y = draw.integers(0, 2, size=(n, k, inner))
    s = np.round((draw.normal(size=(n, k, inner)) + y) * grid) / grid
    if probabilities:
        s = (1 / (1 + np.exp(-s))).astype(np.float32)
    said = (np.float64(s) if probabilities else 1 / (1 + np.exp(-s))) > np.float64(np.float32(threshold))
    out = draw.random(size=y.shape) < ignored
    yy, ss, dd = [np.asarray(a).transpose(0, 2, 1).reshape(-1, k) for a in (y, s, said.astype(int))]
    keep = ~out.transpose(0, 2, 1).reshape(-1, k)
    v, confusion = {}, ()
    if k == 1:
        yy, ss, dd = yy[keep], ss[keep], dd[keep]
        v["ACCURACY"] = M.accuracy_score(yy, dd)
        three(v, "", yy, dd)
        confusion = M.confusion_matrix(yy, dd)
    else:
        assert not out.any()
        v["ACCURACY"] = (yy == dd).mean()
    three(v, "_MACRO", yy, dd)
    three(v, "_MICRO", yy, dd)
    v["AUC"] = M.roc_auc_score(yy, ss)
    case(1, s, np.where(out, -1, y), v, confusion, threshold=threshold, probabilities=probabilities, floats=floats)


def targets(n, k=1, inner=1, constant=False, shift=0.0):
    y = draw.normal(size=(n, k, inner)).astype(np.float32) + np.float32(shift)
    if constant:
        y[:, 1] = 2.5
    s = (y + draw.normal(size=(n, k, inner)) * 0.4).astype(np.float32)
    a, b = [np.float64(t).transpose(0, 2, 1).reshape(-1, k) for t in (y, s)]
    v = {"R2": M.r2_score(a, b), "MAE": M.mean_absolute_error(a, b), "MSE": M.mean_squared_error(a, b),
         "RMSE": M.root_mean_squared_error(a, b)}
    case(2, s, y, v)


classes(60, 5, absent=(4,), k=2)
classes(90, 4, grid=2, ignored=0.2, k=3)
classes(70, 3, probabilities=True, k=1)
classes(50, 2, k=1)
classes(40, 7, grid=1000)
classes(12, 3, inner=4, ignored=0.3, ignore=255, k=2)
classes(50, 4, absent=(0,), ignored=0.3, ignore=0, k=2)
binary(80)
binary(60, floats=True, probabilities=True, threshold=0.3)
binary(64, k=3)
binary(50, ignored=0.25, floats=True)
binary(9, inner=6, ignored=0.25)
targets(50)
targets(40, k=3, constant=True)
targets(30, shift=1e4)
targets(9, k=3, inner=6)
binary(11, k=3, inner=4)


def number(v):
    return "NAN" if v != v else "%.10g" % v


def rows(lines, values, form):
    text = "   "
    for v in values:
        word = " %s," % form(v)
        if len(text) + len(word) > 118:
            lines.append(text)
            text = "   "
        text += word
    lines.append(text.rstrip(","))


def main():
    lines = ["/* Made by gen_metrics.py: what scikit-learn %s says of drawn scores and labels. */" % sklearn.__version__,
             "static const float metric_scores[] = {"]
    one = lambda v: "%.9gf" % v if "." in "%.9g" % v or "e" in "%.9g" % v else "%.9g" % v
    rows(lines, scores, one)
    lines += ["};", "static const float metric_labels[] = {"]
    rows(lines, labels, one)
    lines += ["};", "/* kind 0: classes, 1: labels, 2: targets; scores (rows, width, inner) from s on, labels from y on. */",
              "static const struct {", "    int kind, rows, width, inner, s, y;",
              "    int top_k, ignore_index; float threshold; int ignore_zero, probabilities, floats;",
              "    double want[%d]; /* from GTR_METRIC_ACCURACY on */" % len(NAMES),
              "    int confusion[49];", "} metric_cases[] = {"]
    for kind, n, c, inner, s, y, f, v, confusion in cases:
        lines.append("    { %d, %d, %d, %d, %d, %d, %d, %d, %g, %d, %d, %d, {" % (
            kind, n, c, inner, s, y, f["top_k"], f["ignore_index"], f["threshold"], f["ignore_zero"],
            f["probabilities"], f["floats"]))
        rows(lines, v, number)
        lines.append("    }, {")
        rows(lines, confusion or [0], str)
        lines.append("    } },")
    lines[-1] = "    } }"
    lines.append("};")
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tables/metrics.h"), "w") as f:
        f.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
