#!/bin/sh
# Measure the shipped sweeps; some seven hours on two quiet cores. Stopped, it goes on where it was.
set -eu
cd "$(dirname "$0")/.."
python="${PYTHON:-.venv/bin/python}"

for name in devlin-fig1 baier baier-after-all-cards thoughtful pikl reward-scale frontier; do
	"$python" -m spades sweep "data/sweeps/$name.toml" --out "data/sweeps/$name.json"
done
