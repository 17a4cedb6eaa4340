"""usage: with_outside.py server|mute|input COMMAND...: runs COMMAND beside a server, whose port is its last argument (a mute one never
answers), or writes a byte to its standard input when it is ready. Exits with its code."""
import socket
import subprocess
import sys
import threading


def answer(listener, mute):
    kept = []
    while True:
        connection, _ = listener.accept()
        if mute:
            kept.append(connection)
            continue
        with connection:
            if connection.recv(1):
                connection.sendall(b"!")


def main():
    what, *command = sys.argv[1:]
    if what in ("server", "mute"):
        listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=answer, args=(listener, what == "mute"), daemon=True).start()
        sys.exit(subprocess.run([*command, str(listener.getsockname()[1])], check=False).returncode)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        child.stdout.readline()
        child.stdin.write(b"!")
        child.stdin.flush()
        sys.stdout.buffer.write(child.stdout.read())
        sys.exit(child.wait())


main()
