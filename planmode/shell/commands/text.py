"""Commands that read text and print text."""

from typing import Final

from planmode.shell.options import table

_SUMS: Final = (
    "-b -t -c -w -z --binary --text --check --tag --zero --quiet --status --strict --warn"
)

ROWS: Final = table(f"""
cat: -A -b -e -E -n -s -t -T -u -v --show-all --number --number-nonblank --show-ends --squeeze-blank
    --show-tabs --show-nonprinting; loose
tac: -b -r -s= --before --regex --separator=; loose
rev: ; loose
head: -n= -c= -q -v -z --lines= --bytes= --quiet --silent --verbose --zero-terminated; digits; loose
tail: -n= -c= -q -v -z --lines= --bytes= --quiet --silent --verbose --zero-terminated; digits; loose
wc: -c -m -l -w -L --bytes --chars --lines --words --max-line-length; loose
nl: -b= -d= -f= -h= -i= -l= -n= -p -s= -v= -w= --body-numbering= --number-width=; loose
od: -A= -j= -N= -S= -t= -w? -a -b -c -d -f -i -l -o -s -x -v --address-radix= --skip-bytes=
    --read-bytes= --format= --width?; loose
hexdump: -b -c -C -d -o -x -v -n= -s= -e=; loose
xxd: -a -b -c= -C -d -e -E -g= -i -l= -n= -o= -p -ps -r -s= -u; most 1
strings: -a -f -n= -t= -o -e= --all --bytes= --radix= --print-file-name --encoding=; digits
cut: -b= -c= -d= -f= -n -s -z --bytes= --characters= --delimiter= --fields= --only-delimited
    --complement --output-delimiter= --zero-terminated; loose
tr: -c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1; loose
paste: -d= -s -z --delimiters= --serial --zero-terminated; loose
join: -a= -e= -i -j= -o= -t= -v= -1= -2= -z --ignore-case --header --check-order --nocheck-order;
    loose
comm: -1 -2 -3 -z --check-order --nocheck-order --output-delimiter= --total; loose
fold: -b -s -w= --bytes --spaces --width=; loose
fmt: -c -s -t -u -w= -g= -p= --width= --split-only --uniform-spacing; digits; loose
expand: -i -t= --initial --tabs=; digits; loose
unexpand: -a -t= --all --first-only --tabs=; digits; loose
column: -t -s= -o= -c= -x -n= -N= -R= -H= -J --table --separator= --output-separator=; loose
sort: -b -d -f -g -i -M -h -n -R -r -V -c -C -m -s -u -z -k= -t= -S= --ignore-leading-blanks
    --dictionary-order --ignore-case --general-numeric-sort --ignore-nonprinting --month-sort
    --human-numeric-sort --numeric-sort --random-sort --reverse --version-sort --sort= --check?
    --merge --key= --field-separator= --stable --unique --zero-terminated --parallel= --buffer-size=
    --debug
uniq: -c -d -D -i -u -z -f= -s= -w= --count --repeated --all-repeated? --ignore-case --unique
    --zero-terminated --skip-fields= --skip-chars= --check-chars= --group?; most 1
shuf: -e -i= -n= -r -z --echo --input-range= --head-count= --repeat --zero-terminated
tsort: ; loose
seq: -f= -s= -w --format= --separator= --equal-width; digits; loose
numfmt: -d= -z --from= --to= --from-unit= --to-unit= --field= --format= --header? --invalid=
    --padding= --round= --suffix= --grouping --delimiter=; loose
expr: ; loose
echo: -n -e -E; loose
base64: -d -i -w= --decode --ignore-garbage --wrap=; loose
base32: -d -i -w= --decode --ignore-garbage --wrap=; loose
md5sum, sha1sum, sha224sum, sha256sum, sha384sum, sha512sum, b2sum: {_SUMS}; loose
cksum: ; loose
sum: -r -s; loose
cmp: -b -i= -l -n= -s --print-bytes --ignore-initial= --verbose --bytes= --quiet --silent; loose
diff: -a -b -B -c -C= -d -e -E -F= -H -i -I= -n -N -p -q -r -s -S= -t -T -u -U= -w -W= -x= -X= -y -Z
    --text --brief --color? --context? --unified? --exclude= --exclude-from= --from-file=
    --ignore-all-space --ignore-blank-lines --ignore-case --ignore-matching-lines=
    --ignore-space-change --ignore-trailing-space --label= --minimal --new-file --no-dereference
    --normal --recursive --report-identical-files --show-c-function --side-by-side
    --strip-trailing-cr --suppress-common-lines --to-file= --width= --speed-large-files --tabsize=;
    digits
diff3: -A -e -E -m -x -X -3 -a -i -L= --merge --show-all --text --label=
iconv: -f= -t= -c -s -l --from-code= --to-code= --list --silent
jq: -a -c -C -e -f= -h -j -L= -M -n -r -R -s -S --arg --args --argjson --ascii-output --color-output
    --compact-output --exit-status --from-file= --indent= --join-output --jsonargs
    --monochrome-output --null-input --raw-input --raw-output --rawfile --seq --slurp --slurpfile
    --sort-keys --stream --tab -V --version; loose
sed: -n -e= -E -r -s -u -z -l= --quiet --silent --expression= --regexp-extended --null-data
    --separate --unbuffered --line-length= --posix --debug --sandbox --version
awk, gawk, mawk, nawk: -F= -v= -f=@awk_files --field-separator= --assign= --version
zcat, bzcat, xzcat: -v -q; loose
gzip, gunzip: -c -d -k -l -n -N -q -t -v -1 -2 -3 -4 -5 -6 -7 -8 -9 --stdout --to-stdout
    --decompress --keep --list --test --quiet --verbose --version; one_of -c --stdout --to-stdout -l
    --list -t --test --version
bzip2, bunzip2: -c -d -k -q -t -v -1 -2 -3 -4 -5 -6 -7 -8 -9 --stdout --decompress --keep --test
    --quiet --verbose; one_of -c --stdout
xz, unxz, zstd, unzstd: -c -d -k -l -q -t -v -1 -2 -3 -4 -5 -6 -7 -8 -9 --stdout --decompress --keep
    --list --test --quiet --verbose; one_of -c --stdout
unzip: -l -v -t -p -z -Z -q -C; one_of -l -v -t -p -z -Z
zipinfo: -1 -2 -s -m -l -v -h -t -z
tar: -t -v -z -j -J -f= --list --verbose --file= --gzip --bzip2 --xz --full-time --exclude=
    --wildcards --no-wildcards --utc --numeric-owner; one_of -t --list
less: -e -E -F -i -I -m -M -n -N -q -r -R -s -S -w -X -z= -p= -x= --quit-if-one-screen --no-init
    --chop-long-lines --LINE-NUMBERS --RAW-CONTROL-CHARS; digits; needs pagers
more: -d -f -l -p -c -s -u -n=; digits; needs pagers
man: -k -f -s= -w -a --where --path --whatis --apropos --sections=; needs pagers
tee: -a -i --append; needs null_tee
dd: ; needs dd
""")
