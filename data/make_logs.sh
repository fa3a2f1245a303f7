#!/bin/sh
# Make the logs that are shipped under data/logs; about five minutes on two cores.
set -eu
cd "$(dirname "$0")/.."
python="${PYTHON:-.venv/bin/python}"

simulate() { # name north east south west games seed
	"$python" -m spades simulate --north "$2" --east "$3" --south "$4" --west "$5" \
		--games "$6" --seed "$7" --out "data/logs/$1.parquet"
}

bot=ismcts:iterations=2500
quick=ismcts:iterations=100
simulate human-south "$bot" "$bot" human "$bot" 190 1
simulate four-ismcts "$bot" "$bot" "$bot" "$bot" 110 2
simulate four-humans human human human human 1000 3
simulate four-quick-ismcts "$quick" "$quick" "$quick" "$quick" 110 4
