"""Commands that list files and search in them."""

from typing import Final

from planmode.shell.options import table

ROWS: Final = table("""
ls: -a -A -b -B -c -C -d -D -f -F -g -G -h -H -i -I= -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t
    -T= -u -U -v -w= -x -X -Z -1 --all --almost-all --author --block-size= --classify? --color?
    --context --dereference --directory --escape --file-type --format= --full-time
    --group-directories-first --hide= --human-readable --hyperlink? --ignore= --ignore-backups
    --indicator-style= --inode --kibibytes --literal --no-group --numeric-uid-gid --quote-name
    --quoting-style= --recursive --reverse --si --size --sort= --tabsize= --time= --time-style=
    --width= --zero; loose
dir, vdir: -a -A -d -h -l -r -R -S -t -1; loose
exa, eza: -a -d -F -g -G -h -i -l -L= -r -R -s= -S -t= -T -x -1 --all --color= --git --git-ignore
    --group --header --icons? --inode --level= --long --oneline --recurse --reverse --sort= --tree
tree: -a -C -d -D -f -F -g -h -H= -i -I= -J -l -L= -n -N -p -P= -Q -r -s -S -t -u -U -v -x -X
    --charset= --dirsfirst --du --filelimit= --gitignore --inodes --matchdirs --metafirst --noreport
    --prune --si --sort? --version
stat: -L -f -t -c= --dereference --file-system --format= --printf= --terse; loose
file: -b -c -E -F= -h -i -k -l -L -n -N -r -s -S -v -0 -f= -e= --brief --mime --mime-type
    --mime-encoding --dereference --no-dereference --separator= --print0 --keep-going --version
du: -0 -a -b -B= -c -d= -D -h -H -k -l -L -m -P -s -S -t= -x -X= --all --apparent-size --block-size=
    --bytes --count-links --dereference --exclude= --exclude-from= --human-readable --inodes
    --max-depth= --one-file-system --separate-dirs --si --summarize --threshold= --time?
    --time-style= --total --null; loose
df: -a -B= -h -H -i -k -l -P -t= -T -x= --all --block-size= --human-readable --inodes --local
    --output? --portability --print-type --si --sync --total --type= --exclude-type=; loose
pwd: -L -P; most 0
cd: -L -P; most 1
basename: -a -s= -z --multiple --suffix= --zero; loose
dirname: -z --zero; loose
realpath: -e -m -L -P -q -s -z --canonicalize-existing --canonicalize-missing --logical --physical
    --quiet --relative-to= --relative-base= --strip --no-symlinks --zero; loose
readlink: -f -e -m -n -q -s -v -z --canonicalize --canonicalize-existing --canonicalize-missing
    --no-newline --quiet --silent --verbose --zero; loose
lsattr: -R -a -d -l -p -v
getfacl: -a -d -c -e -E -s -R -t -n -p
which: -a -s; loose
whereis: -b -m -s -u
type: -a -f -p -P -t
grep, egrep, fgrep: -a -A= -b -B= -c -C= -d= -D= -e= -E -f= -F -G -h -H -i -I -l -L -m= -n -o -P -q
    -r -R -s -T -u -U -v -V -w -x -y -z -Z --after-context= --before-context= --binary
    --binary-files= --byte-offset --color? --colour? --context= --count --dereference-recursive
    --devices= --directories= --exclude= --exclude-dir= --exclude-from= --extended-regexp --file=
    --files-with-matches --files-without-match --fixed-strings --basic-regexp --ignore-case
    --include= --initial-tab --invert-match --label= --line-buffered --line-number --line-regexp
    --max-count= --no-filename --no-ignore-case --no-messages --null --null-data --only-matching
    --perl-regexp --quiet --recursive --regexp= --silent --text --unix-byte-offsets --version
    --with-filename --word-regexp; digits; loose
rg: -a -A= -b -B= -c -C= -d= -e= -E= -f= -F -g= -h -H -i -I -j= -l -L -m= -M= -n -N -o -p -P -q -r=
    -s -S -t= -T= -u -U -v -V -w -x -z@decompressors -0 --after-context= --auto-hybrid-regex
    --before-context= --binary --block-buffered --byte-offset --case-sensitive --color= --colors=
    --column --context= --context-separator= --count --count-matches --crlf --debug --encoding=
    --engine= --field-context-separator= --field-match-separator= --file= --files
    --files-with-matches --files-without-match --fixed-strings --follow --glob=
    --glob-case-insensitive --heading --hidden --iglob= --ignore-case --ignore-file= --include-zero
    --invert-match --json --line-buffered --line-number --line-regexp --max-columns=
    --max-columns-preview --max-count= --max-depth= --max-filesize= --mmap --multiline
    --multiline-dotall --no-config --no-filename --no-heading --no-ignore --no-ignore-dot
    --no-ignore-vcs --no-line-number --no-messages --no-mmap --no-require-git --null --null-data
    --one-file-system --only-matching --passthru --path-separator= --pcre2 --pretty --quiet
    --regex-size-limit= --regexp= --replace= --search-zip@decompressors --smart-case --sort=
    --sortr= --stats --stop-on-nonmatch --text --threads= --trim --type= --type-add= --type-list
    --type-not= --unrestricted --version --vimgrep --with-filename --word-regexp
ag: -a -A= -B= -c -C= -f -F -g= -G= -H -i -l -L -m= -n -o -Q -r -s -S -t -u -U -v -w --after=
    --before= --context= --count --depth= --files-with-matches --hidden --ignore= --ignore-case
    --literal --max-count= --nocolor --noheading --nonumbers --only-matching --skip-vcs-ignores
    --smart-case --vimgrep --word-regexp
fd, fdfind: -0 -a -c= -d= -e= -E= -F -g -H -i -I -j= -l -L -n -p -q -s -S= -t= -u -1 --absolute-path
    --and= --base-directory= --case-sensitive --changed-before= --changed-within= --color=
    --exact-depth= --exclude= --extension= --fixed-strings --follow --format= --full-path --glob
    --hidden --ignore-case --ignore-file= --max-depth= --max-results= --min-depth= --no-ignore
    --no-ignore-vcs --one-file-system --owner= --path-separator= --print0 --prune --quiet --regex
    --search-path= --show-errors --size= --strip-cwd-prefix --threads= --type= --unrestricted
    --version
bat, batcat: -A -d -f -l= -m= -n -p -r= -u -H= --color= --decorations= --highlight-line= --language=
    --line-range= --list-languages --list-themes --map-syntax= --number --paging= --plain --show-all
    --style= --tabs= --terminal-width= --theme= --unbuffered --wrap=
""")
