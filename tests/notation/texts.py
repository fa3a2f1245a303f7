"""Made-up records as text, and how tests edit them."""

STANDARD_PTN = r"""[Event "Made up"]
[GameCode "Spades"]
[GameOptionsJson "{\"failBidScoring\":1}"]
[GameScores "S:90 50 90 50"]
[West "Bot-W (Auto)"]
[North "Bot-N (Auto)"]
[East "Bot-E (Auto)"]
[South "Me (1)"]
[Dealer "N"]
[Deal "N:KT72.AK32.Q5.T53 Q4.96.JT7642.Q96 9653.T5.AK98.A42 AJ8.QJ874.3.KJ87"]
[Auction "E"]
2 5 3 6
[Play "E"]
CQ C4 CK CT
C9 C2 C7 C5
D7 D8 D3 D5
C6 CA CJ C3
D2 DA H7 DQ
H6 H5 HQ HA
H9 HT H4 H3
DJ D9 SA SK
S4 S9 S8 S2
SQ S6 SJ S7
D6 DK H8 ST
D4 S5 HJ H2
DT S3 C8 HK
"""
# Tricks N 2, E 2, S 7, W 2; N/S bid 11 and took 9, E/W bid 5 and took 4.
STANDARD_TRICKS, STANDARD_POINTS = [2, 2, 7, 2], (-110, -50)

JOKER_PTN = r"""% PBN ----
[Event "Made up, jokers"]
[LocalDateTime "1/1/2001 5:00 PM"
[GameCode "Spades"]
[GameOptionsJson "{"variation":3,"failBidScoring":1,"minBid":4,"nilOrZero":1}"]
[West "Bot-W (Auto)"]
[North "Bot-N (Auto)"]
[East "Bot-E (Auto)"]
[South "Me (1)"]
[Dealer "N"]
[Deal "N:JT987..6532.T764 5.KJ986.JT874.A5 KQ43.AT5..KQ983.H A62.Q743.AKQ9.J.L"]
[Auction "E"]
4 0 4 4
[Play "E"]
D8 CQ DQ D3
CA C9 CJ CT
D7 SQ D9 D5
C5 C8 H4 C7
HJ C3 DA C4
S5 SK S6 S9
H9 CK DK C6
HK S4 SA ST
H6 JH JL SJ
H8 HT H7 D2
DJ S3 S2 S7
D4 H5 H3 S8
DT HA HQ D6
"""
# N/S bid 4 + 0 (no nil here) and took 8: 40 and 4 bags; E/W bid 8 and took 5.
JOKER_TRICKS, JOKER_POINTS = [3, 2, 5, 3], (44, -80)


def edited(text, old, new):
    """``text`` with ``old``, which must stand there, replaced once."""
    assert old in text, f"{old!r} stands nowhere in the text"
    return text.replace(old, new, 1)


def line_of(text, needle):
    """Number from 1 of the first line that starts with ``needle``."""
    return next(i for i, line in enumerate(text.split("\n"), 1) if line.startswith(needle))


def without_section(text, name):
    """``text`` cut off before ``[name``."""
    return text[: text.index(f"[{name} ")]
