"""The verbs of git that only read."""

from typing import Final

from planmode.shell.options import table

_DIFF: Final = """-a -b -B? -C? -D -G= -M? -O= -p -R -S= -u -U= -w -W -z --abbrev? --anchored=
    --binary --break-rewrites? --cc --check --color? --color-moved? --color-moved-ws=
    --color-words? --compact-summary --cumulative --diff-algorithm= --diff-filter= --dirstat?
    --dst-prefix= --exit-code --find-copies? --find-copies-harder --find-renames? --full-index
    --function-context --histogram --ignore-all-space --ignore-blank-lines --ignore-cr-at-eol
    --ignore-matching-lines= --ignore-space-at-eol --ignore-space-change --ignore-submodules?
    --inter-hunk-context= --irreversible-delete --line-prefix= --minimal --name-only
    --name-status --no-abbrev --no-color --no-ext-diff --no-patch --no-prefix --no-renames
    --no-textconv --numstat --patch --patch-with-stat --patience --pickaxe-all --pickaxe-regex
    --quiet --raw --relative? --rotate-to= --shortstat --skip-to= --src-prefix= --stat?
    --stat-count= --stat-width= --submodule? --summary --text --unified= --word-diff?
    --word-diff-regex= --ws-error-highlight= -s -t -r"""
_REVISIONS: Final = """-E -F -i -P -n= --after= --all --all-match --ancestry-path? --author=
    --author-date-order --basic-regexp --before= --bisect --boundary --branches? --cherry
    --cherry-mark --cherry-pick --children --committer= --date-order --dense --disambiguate=
    --exclude= --extended-regexp --first-parent --fixed-strings --full-history --glob= --grep=
    --ignore-missing --invert-grep --left-only --left-right --max-count= --max-parents= --merge
    --merges --min-parents= --no-max-parents --no-merges --no-min-parents --no-walk? --not
    --objects --parents --perl-regexp --pretty? --format= --reflog --regexp-ignore-case
    --remotes? --reverse --right-only --show-linear-break? --show-pulls --simplify-by-decoration
    --simplify-merges --since= --since-as-filter= --skip= --sparse --tags? --topo-order --until=
    --walk-reflogs -g --abbrev-commit --no-abbrev-commit --oneline --date= --relative-date
    --graph --encoding= --expand-tabs? --no-expand-tabs --parents --timestamp"""
_LOG: Final = f"""{_DIFF} {_REVISIONS} -c -L= -m -q --clear-decorations --decorate?
    --decorate-refs= --decorate-refs-exclude= --diff-merges= --follow --full-diff --log-size
    --mailmap --no-decorate --no-diff-merges --no-mailmap --no-notes --notes? --remerge-diff
    --source --use-mailmap"""
_REFS: Final = """--sort= --format= --contains --no-contains --merged --no-merged --points-at=
    --color? --ignore-case -i --omit-empty"""

ROWS: Final = table(f"""
git: --version -v --no-pager -P --no-optional-locks --no-replace-objects --literal-pathspecs
    --glob-pathspecs --noglob-pathspecs --icase-pathspecs --exec-path --html-path --man-path
    -C= --git-dir= --work-tree=; most 0
git version: --build-options; most 0
git help: -w@browsers --web@browsers -m@pagers -a -g -c --all --guides --man@pagers
git status: -s -b -v -u? -z --short --branch --show-stash --porcelain? --long --verbose
    --untracked-files? --ignore-submodules? --ignored? --column? --no-column --ahead-behind
    --no-ahead-behind --renames --no-renames --find-renames?
git log, git whatchanged, git show: {_LOG}; digits
git diff: {_DIFF} -0 -1 -2 -3 -c -q --base --cached --merge-base --no-index --ours --staged --theirs
git diff-tree, git diff-index, git diff-files: {_DIFF} -c -m -q --cached --root --stdin
    --no-commit-id --pretty? --format= --always --merge-base -v
git range-diff: {_DIFF} --creation-factor= --no-dual-color --left-only --right-only
git shortlog: {_REVISIONS} -c -e -n -s -w? --committer --email --group= --numbered --summary; digits
git rev-list: {_REVISIONS} --count --disk-usage? --header --no-commit-header --no-object-names
    --objects-edge --quiet --use-bitmap-index; digits
git rev-parse: -q --abbrev-ref? --absolute-git-dir --all --branches? --default= --flags
    --git-common-dir --git-dir --git-path= --is-bare-repository --is-inside-git-dir
    --is-inside-work-tree --is-shallow-repository --no-flags --no-revs --path-format= --quiet
    --remotes? --revs-only --short? --show-cdup --show-prefix --show-superproject-working-tree
    --show-toplevel --symbolic --symbolic-full-name --tags? --verify
git merge-base: -a --all --fork-point --independent --is-ancestor --octopus
git name-rev, git describe: --abbrev= --all --always --broken? --candidates= --contains --debug
    --dirty? --exact-match --exclude= --first-parent --long --match= --name-only --refs= --tags
    --no-undefined --undefined
git cat-file: -e -p -s -t -z --allow-unknown-type --batch? --batch-all-objects --batch-check?
    --buffer --unordered
git blame, git annotate: -b -c -C? -e -f -l -L= -M? -n -p -s -t -w --abbrev= --date= --first-parent
    --ignore-rev= --ignore-revs-file= --incremental --line-porcelain --minimal --no-progress
    --porcelain --root --score-debug --show-email --show-name --show-number --show-stats -S=
    --since=
git ls-files: -c -d -f -i -k -m -o -s -t -u -v -x= -X= -z --abbrev? --cached --deduplicate --deleted
    --directory --empty-directory --eol --error-unmatch --exclude= --exclude-from=
    --exclude-per-directory= --exclude-standard --format= --full-name --ignored --killed --modified
    --no-empty-directory --others --recurse-submodules --sparse --stage --unmerged
git ls-tree: -d -l -r -t -z --abbrev? --format= --full-name --full-tree --long --name-only
    --name-status --object-only
git grep: -a -A= -B= -c -C= -e= -E -f= -F -G -h -H -i -I -l -L -m= -n -o -p -P -q -r -v -w -W -z
    --after-context= --all-match --and --basic-regexp --before-context= --break --cached --color?
    --column --context= --count --exclude-standard --extended-regexp --files-with-matches
    --files-without-match --fixed-strings --full-name --function-context --heading --ignore-case
    --invert-match --line-number --max-count= --max-depth= --name-only --no-color --no-index --not
    --null --only-matching --or --perl-regexp --quiet --recurse-submodules --recursive
    --show-function --text --threads= --untracked --word-regexp; digits
git branch: -a -l -r -v --all --list --remotes --verbose --show-current --column? --no-column
    --abbrev? --no-abbrev --no-color {_REFS}
git tag: -l -n? --list --column? --no-column {_REFS}
git remote: -v --verbose; most 0
git remote get-url: --all --push
git stash list: {_LOG}; digits
git stash show: {_DIFF} --include-untracked --only-untracked --no-include-untracked
git reflog: {_LOG}; digits; most 0
git reflog show: {_LOG}; digits
git worktree list: -v -z --porcelain --verbose; most 0
git notes list, git notes show:
git for-each-ref: -p -s --count= --perl --python --shell --stdin --tcl --exclude= {_REFS}
git show-ref: -d -q -s --dereference --exists --hash? --head --heads --quiet --tags --abbrev?
    --verify
git symbolic-ref: -q --quiet --short --no-recurse; most 1
git count-objects: -H -v --human-readable --verbose; most 0
git check-ignore: -n -q -v -z --no-index --non-matching --quiet --stdin --verbose
git check-attr: -a -z --all --cached --source= --stdin
git cherry: -v --abbrev?
git show-branch: -a -r --all --current --independent --list --merge-base --more= --no-color
    --no-name --remotes --sha1-name --sparse --topics --topo-order --date-order
git var: -l
git config: -l -z --all --bool --file= --get --get-all --get-regexp --global --includes --int --list
    --local --name-only --no-includes --null --path --show-origin --show-scope --system --type=
    --worktree --default=; one_of -l --list --get --get-all --get-regexp; needs git_config
""")
