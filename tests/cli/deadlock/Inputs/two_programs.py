"""The compile commands of a build with two programs that share a file: two_programs.py FOLDER"""
import json, sys

folder = sys.argv[1]
names = ["test.c", "helper.c", "other.c", "helper.c"]
print(json.dumps([{"directory": folder, "file": name, "command": f"cc -c {name} -o {i}.o"} for i, name in enumerate(names)]))
