#!/bin/sh
# Make the logs that are shipped under data/logs; about eight minutes on two cores. Those that are
# there stay: take a log away to have it made anew.
set -eu
cd "$(dirname "$0")/.."
python="${PYTHON:-.venv/bin/python}"

simulate() { # name north east south west games seed
	[ -e "data/logs/$1.parquet" ] ||
		"$python" -m spades simulate --north "$2" --east "$3" --south "$4" --west "$5" \
			--games "$6" --seed "$7" --out "data/logs/$1.parquet"
}

bot=ismcts:iterations=2500
quick=ismcts:iterations=100
simulate human-south "$bot" "$bot" human "$bot" 190 1
simulate four-ismcts "$bot" "$bot" "$bot" "$bot" 110 2
simulate four-humans human human human human 1000 3
simulate four-quick-ismcts "$quick" "$quick" "$quick" "$quick" 110 4
simulate thoughtful-south "$bot" "$bot" thoughtful "$bot" 190 6

# Rounds behind the points of the nil curves: noisy bids, so that every kind of hand tries a nil.
explorer=srp+noisy:of=bis,noise=1,nil=0.1
[ -e data/logs/four-srp-nil.parquet ] ||
	"$python" -m spades simulate --north "$explorer" --east "$explorer" --south "$explorer" \
		--west "$explorer" --rounds 20000 --seed 5 --out data/logs/four-srp-nil.parquet
