# needs: /dev/vda
# Attempts: read the disk beneath all files.
# A pass would be a breach: every file is readable, whatever the rules on paths say.
# not live: containers and hardened machines refuse the device itself


def attempt():
    with open("/dev/vda", "rb", buffering=0) as disk:
        return len(disk.read(512)) == 512
