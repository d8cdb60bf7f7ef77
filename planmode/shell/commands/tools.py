"""Programs of other trades whose verbs or versions can be asked."""

from typing import Final

from planmode.shell.options import table

ROWS: Final = table("""
python, python3: --version -V; most 0; one_of --version -V
node, npm, perl, php, make: --version -v; most 0; one_of --version -v
java, javac: --version -version; most 0; one_of --version -version
ruby, pip, pip3, gcc, g++, cc, clang, cmake, docker, bash, psql, sqlite3, curl, wget, gh: --version;
    most 0; one_of --version
npm ls, npm list: -a -g -l -p --all --depth= --global --json --link --long --omit=
    --package-lock-only --parseable; needs packages
npm view, npm info, npm show: --json; needs network_reads
yarn info: --json; needs network_reads
pip list, pip3 list: -e -l -v --editable --exclude= --exclude-editable --format= --local
    --not-required --user --disable-pip-version-check; most 0; needs packages
pip show, pip3 show: -f --files --disable-pip-version-check; needs packages
pip freeze, pip3 freeze: -l --all --exclude= --exclude-editable --local --user; most 0; needs
    packages
docker ps, docker images, docker volume ls, docker network ls, docker container ls, docker image ls:
    -a -f= -n= -l -q -s --all --digests --filter= --format= --last= --latest --no-trunc --quiet
    --size; needs containers
docker inspect, docker port, docker top, docker diff, docker history: -f= -s --format= --size
    --type= --no-trunc; needs containers
gh pr view, gh pr list, gh pr status, gh pr checks, gh pr diff, gh issue view, gh issue list, gh
    issue status, gh run list, gh run view, gh repo view, gh release list, gh release view: -a= -c
    -l= -L= -q= -R= -s= -t= --assignee= --author= --comments --jq= --json= --label= --limit= --repo=
    --search= --state= --template=; needs network_reads
tsc: -p= --noEmit --pretty --project= --skipLibCheck --strict; one_of --noEmit; needs builds
curl fetch: -4 -6 -f -g -G -i -I -k -L -m= -s -S -v -A= -H= --compressed --connect-timeout= --fail
    --globoff --head --header= --http1.1 --http2 --include --insecure --ipv4 --ipv6 --location
    --max-redirs= --max-time= --no-progress-meter --retry= --show-error --silent --user-agent=
    --verbose; needs network_reads
wget fetch: -4 -6 -nv -O= -q -S -T= -U= --header= --inet4-only --inet6-only --max-redirect=
    --no-hsts --no-verbose --output-document= --quiet --server-response --timeout= --tries=
    --user-agent=; one_of -O --output-document; needs network_reads
sqlite3 read: -batch -bail -box -column -csv -header -html -json -line -list -markdown -noheader
    -quote -readonly -safe -table -tabs; most 2; needs databases
psql read: -A -c= -d= -E -F= -h= -H -p= -q -R= -t -U= -w -x -X -z -0 --command= --csv --dbname=
    --expanded --host= --html --no-align --no-password --no-psqlrc --port= --quiet --tuples-only
    --username=; one_of -c --command; most 2; needs databases
""")
