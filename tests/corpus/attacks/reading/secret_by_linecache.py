# Attempts: have the module that shows source lines read a file.
# A pass would be a breach: files of this machine are readable.
import linecache


def attempt():
    return linecache.getline("@FOLDER@/secret.txt", 1).strip() == "open sesame"
