"""Shell lines for tests: some that only read, some that don't."""

from typing import Final

READING: Final = r"""
ls -la /tmp 2>/dev/null | head -20
git log --oneline -5 --stat
git -C src log
git diff HEAD~3..HEAD -- a.py b.py
git show HEAD~1:src/a.py
git log --since="2 weeks ago" --author=x --format='%h %s' -- src
git log -S'foo' --all
git blame -L 10,20 a.py
git ls-files '*.py' | wc -l
git grep -n "foo" -- '*.py'
git branch --contains HEAD
git tag -n --list 'v*'
git stash show -p stash@{0}
git log @{u}..HEAD
git config --get user.name
git --version
git
git help -a
grep -rn "foo\|bar" --include=*.py src | head
grep "foo$" f
rg -n "def foo" -g '*.py' src
find . -type f -name '*.py' -not -path './node_modules/*'
find src -O2 -newermt 2020-01-01 -name "*.py" | xargs grep -l foo
find . -maxdepth 2 -type d \( -name a -o -name b \) -print
find "./$x" -name "$y"
ls | xargs -I{} cat x{}
ls | xargs -I{} cat {}
ls | xargs
sed -n '/start/,/end/p' f
sed -e 's/a/b/g' -e '/^#/d' f
sed 's|[[:alpha:]/]|b|;s,x,y,' f
sed --version
awk '{sum += $1} END {print sum}' f
awk -F'|' '{print $2}' f
awk --version
for f in *.py; do wc -l "$f"; done
for f in $(git ls-files); do head -n 1 "$f"; done
while read -r line; do echo "$line"; done < f
case $x in a|b*) ls;; (*) pwd;; esac
ls -1 | sort | uniq -c | sort -rn | head
python3 --version && node -v
wc -l $(find . -name '*.py')
echo "Home is $HOME and $(pwd) and ${#x} costs 5$"
echo `pwd` $((1 + 2)) ${x:-y} $'a\n' "${a[@]}" "$@"
test -f a && echo yes || echo no
[ -f a ] && [ "$x" = y ]
[ 1 -lt 2 ] || [ -n "$x" ]
[[ -d src && ( -f a || ! -e b ) ]]
[[ $x == y* ]]
[[ 1 -eq 2 ]]
(cd src && git log -1)
{ ls; pwd; }
! ls
diff -u a b
jq '.a | .b' f.json
printf '%s\n' "$x"
printf -- '%d%%' 5
tail -n +5 f
timeout 10 grep -r foo .
env LC_ALL=C sort f
env
env -i ls
command ls
/bin/ls
tar -tzf a.tar.gz
tar tzf a.tar.gz
date -d yesterday +%F
cat file{1,2}.txt file{1..3}
cut -d' ' -f1 < f
sort ./*.txt
sort -- "$x"
set -euo pipefail; ls
x=1; echo $x
x=(a b); ls
files=$(ls); echo "$files"
export LC_ALL=C
ls 2>&1 >&2 2>&- <&0
ls > /dev/null -l
ls >/dev/null | cat 2>/dev/null -n
ls & pwd
ls |& cat
bat --paging=never a
curl --version
sysctl kernel.hostname
""".strip().splitlines()

READING_OF_SEVERAL_LINES: Final = [
    "cat <<'EOF' | grep a\nabc $(x)\nEOF",
    "cat <<EOF\nabc\nEOF\nls",
    "cat <<'EOF' 2>/dev/null\nabc\nEOF",
    "cat <<'EOF' && ls\nabc\nEOF",
    "cat <<-EOF\n\tabc\n\tEOF",
    "if [ -f a ]; then\n  ls # why\nelif ls; then\n  pwd\nelse\n  pwd\nfi",
    "ls \\\n  -la",
    "ls\\\n -la",
    "# only then\nls",
    "for x in a; do # each\n  ls\ndone",
    "case a in # one\n  a) ls;;\nesac",
    "x=1 # one\nls",
]

CHANGING: Final = r"""
sort "$x"
sort *.txt
sort a > /dev/null -o p
git branch > /dev/null newname
ls | git branch > /dev/null newname
true && git branch 2>/dev/null newname
(ls) > /dev/null x
uniq a b
uniq *
uniq a{,b}
printf -v x y
printf '%n' x
printf "$x"
printf
[ a > b ]
[ $x ]
[ "$x" "$y" ]
[[ -v a ]]
[[ $x -eq 1 ]]
[[ a =~ (b|c) ]]
echo $((x))
echo $((a[1]))
echo ${x:=y}
echo ${!x}
echo ${x@P}
echo ${x:$(rm f)}
echo $"x"
echo $'\x41'
((x=1))
let x=1
for ((;;)); do ls; done
for PATH in ./e; do ls; done
select x in a; do ls; done
read PATH
export PATH=.
export -p
PATH=x
a+=1
a[0]=1
a=(b $(rm f))
declare -x A=1
unset PATH
LD_PRELOAD=x ls
http_proxy=x ls
npm_config_x=y
xargs rm
ls | xargs sort
ls | xargs -I{} {} x
ls | xargs -I{} sort {}
ls | xargs --replace sort {}
find . -name *
find $x -name a
find "$x"
find . $(echo -delete)
find . -name
find . -exec
find . -exec ls
find . -exec \;
env -S ls
env PATH=. ls
timeout $x ls
timeout ls
nice nice nice nice ls
nice -n rm f
git -c a=b log
git "$x"
git log $x
git log "$x"
git log --format=%G?
git log --format="$x"
git branch -v foo
git remote update
git reflog delete x
git config a.b c
git config --get --unset x
git ls-remote
sed -n '1w x' a
sed 's/[[:alpha:]/]/;s,a/w p,b,' f
sed -e 'a\' -e 'w x' f
sed "$x" f
sed "${x}p" f
awk '{print > "x"}' a
awk '/"/ {system("x")} /"/' a
awk "$x" f
awk '{printf "x" | "sh"}'
tar -tf host:a.tar
tar tfI a x
xz -l -d f.xz
bzip2 -td a
gzip -d a
rg "$x"
fd foo -x
cat < /dev/tcp/a/1
cat < //dev/tcp/a/1
cat < "$x"
ls >&$x
ls > $x
ls >| f
ls 3<>f
date 010101
sysctl a=b
bash -c ls
watch ls
python3
tee /dev/null x
less +!x a
bat a --paging=always
cd /x && command git log
command cd /x && git log
cd && git log
cd "$x" && git log
git --git-dir=/x log
git -C .. log
ls <(rm f)
ls >(ls)
cat <<<$(rm f)
echo "a`rm f`"
ls ${x:-$(rm f)}
echo "`echo \`rm f\``"
if ls; then rm f; fi
case $(rm f) in a) ls;; esac
case a in a) rm f;; esac
for x in $(rm f); do ls; done
until rm f; do ls; done
ls |& rm f
coproc ls
function f { ls; }
./ls
/tmp/ls
bin/ls
{ls,f}
echo a b\
""".strip().splitlines()

CHANGING_IN_SEVERAL_LINES: Final = [
    "",
    " \n ",
    "# nothing",
    "cat <<EOF\n$(rm f)\nEOF",
    "cat <<'EOF'\na\nEOF\nrm f",
    "cat <<A; rm f\na\nA",
    "cat <<A\nx\n A\nrm f\nA\n",
    "cat <<-A\nx\n\tA\nrm f\nA",
    "cat <<A <<B\na\nA\nrm f\nB",
    "cat <<'A' | tee x\na\nA",
    "cat <<'A' > x\na\nA",
    "cat <<'A' && rm f\na\nA",
    "cat << \\E\na\nE\nrm f\nE",
    "cat <<'a b'\na b\nrm f",
    "cat <<E\n\\\nE\nrm f\nE\n",
    "echo #'\nrm f #'",
    "echo a\\\n#b\nrm f",
    "l\\\ns; r\\\nm f",
    "ls\\\n;rm f",
    "ls -l\\\nx",
]
