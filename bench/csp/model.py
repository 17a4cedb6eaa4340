#!/usr/bin/env python3
"""Writes the CSP_M model of T threads that each run N critical sections on L locks, as a program's trace would give it.

usage: model.py THREADS SECTIONS LOCKS ACCESSES [LINES]
Section i of a thread takes lock i mod L, touches memory ACCESSES times, and releases the lock. With LINES the script is
filled up with declarations to that many lines, for timing the front end.
"""
import sys


def main():
    threads, sections, locks, accesses = map(int, sys.argv[1:5])
    print(f"nametype thread = {{0..{threads - 1}}}")
    print(f"nametype mutex = {{0..{locks - 1}}}")
    print("channel lock, unlock, access : thread.mutex\nchannel endthreads, live")
    for t in range(threads):
        chain = []
        for i in range(sections):
            m = i % locks
            chain += [f"lock.{t}.{m}"] + [f"access.{t}.{m}"] * accesses + [f"unlock.{t}.{m}"]
        print(f"THREAD_{t} =\n  " + " ->\n  ".join(chain) + " -> SKIP")
    print("INTER = (" + " ||| ".join(f"THREAD_{t}" for t in range(threads)) + ") ; endthreads -> SKIP")
    print("MUTEX(m) = lock?t!m -> unlock.t.m -> MUTEX(m)")
    print("SYNC = ||| m : mutex @ MUTEX(m)")
    print("PROGRAM = INTER [| {|lock, unlock|} |] SYNC")
    print("LIVE = live -> LIVE")
    print("assert LIVE [F= ((PROGRAM [| {endthreads} |> SKIP) \\ Events) ; LIVE")
    if len(sys.argv) > 5:
        for i in range(int(sys.argv[5]) - threads * sections * (accesses + 2)):
            print(f"P{i}(n, m) = if n == m then lock?t!0 -> P{i}(n + 1, m) else unlock.0.0 -> STOP")


main()
