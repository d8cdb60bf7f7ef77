"""Commands that say something about the machine, and the shell's own."""

from typing import Final

from planmode.shell.options import table

ROWS: Final = table("""
true, false, :: ; loose
exit, return, break, continue: ; most 1
wait: ; most 0
read: -r -s -d= -n= -N= -t= -u= -p=
set: -e -u -f -o=; most 0
command -v: -v -V; one_of -v -V
hash: ; most 0
uname: -a -s -n -r -v -m -p -i -o --all --kernel-name --machine --operating-system; most 0
arch, nproc, whoami, logname, tty: ; most 0
id: -a -g -G -n -r -u -z -Z --group --groups --name --real --user; loose
groups, users: ; loose
date: -u -I? -R -d= -f= -r= --utc --universal --iso-8601? --rfc-3339= --rfc-email --date= --file=
    --reference=
cal, ncal: -1 -3 -j -m= -y -h -A= -B=
uptime: -p -s --pretty --since; most 0
ps: -A -a -d -e -f -F -l -L -H -j -M -T -u= -U= -p= -C= -o= -O= -t= -g= -s= -w -y --forest --headers
    --no-headers --pid= --ppid= --sort= --user= --format= --cols= -c -N --deselect; loose
pgrep: -a -c -d= -f -g= -G= -i -l -n -o -P= -s= -t= -u= -U= -v -w -x --list-full --list-name --full
    --count; loose
free: -b -k -m -g -h -l -t -v -w --bytes --kibi --mebi --gibi --human --lohi --total --wide; most 0
vmstat: -a -d -D -f -m -s -S= -t -w; most 2
lsblk: -a -b -d -e= -f -I= -i -J -l -m -n -o= -p -r -s -S -t -z --all --bytes --fs --json --list
    --noheadings --output= --paths
lscpu: -a -b -c -e? -J -p? -x --all --json; most 0
lsmod: ; most 0
lspci, lsusb: -k -n -v -t -s= -d=
hostname: -a -A -d -f -i -I -s --alias --all-fqdns --all-ip-addresses --domain --fqdn --long
    --ip-address --short; most 0
mount: -l -v -t= --show-labels --types=; most 0
findmnt: -a -A -b -D -e -f -i -J -k -l -n -o= -P -r -s -S= -t= -T= -u --all --json --output=
locale: -a -m -c -k; loose
getconf: -a
env: ; most 0; needs environment
printenv: -0 --null; needs environment
top: -b -n= -d= -o= -p= -u= -U= -H -i -c -w? -S -1; one_of -b; needs system_state
journalctl: -a -b? -e -g= -k -l -n= -o= -p= -q -r -S= -t= -u= -U= -x --all --boot? --catalog --dmesg
    --grep= --identifier= --lines= --list-boots --no-full --no-hostname --no-pager --output=
    --priority= --quiet --reverse --since= --unit= --until= --user --user-unit= --utc --disk-usage;
    needs system_state
dmesg: -d -e -f= -k -l= -L? -r -S -t -T -u -x --ctime --decode --facility= --kernel --level=
    --notime --raw --time-format= --userspace; most 0; needs system_state
crontab: -l; one_of -l; most 0; needs system_state
systemctl status, systemctl is-active, systemctl is-enabled, systemctl is-failed, systemctl
    list-units, systemctl list-unit-files, systemctl list-timers, systemctl show, systemctl cat: -a
    -l -n= -o= -p= -q -t= --all --full --lines= --no-legend --no-pager --output= --plain --property=
    --quiet --state= --type= --user --value; needs system_state
ip addr, ip address, ip a, ip link, ip route, ip neigh, ip rule: ; most 0; needs system_state
ip addr show, ip address show, ip a show, ip link show, ip route show, ip neigh show, ip addr list,
    ip link list, ip route list: ; needs system_state
ss, netstat: -a -l -n -t -u -x -p -e -s -4 -6 -o -i -m -r -w --all --listening --numeric --tcp --udp
    --unix --processes --summary; needs system_state
lsof: -a -c= -d= -i? -l -n -p= -P -R -t -u= -U -w; needs system_state
sysctl: -a -n -e -N --all --values --names; needs system_state
history: -c@shell_history; most 1
yes: ; needs unbounded
sleep: ; needs unbounded
notify-send: -u= -t= -i= -a= -c= --urgency= --expire-time= --icon= --app-name=; needs notifications
mktemp: -d -q -u -p= -t --directory --dry-run --quiet --suffix= --tmpdir?; most 1; needs
    temporary_files
""")
