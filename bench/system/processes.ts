import fs from 'node:fs';

/** The tick of Linux's process clock; it is 100 to the second on every build that is in use. */
const TICKS_PER_SECOND = 100;

/** CPU seconds a process has used in user and kernel mode, or null where there is no /proc. */
export function readCpuSeconds(pid: number): number | null {
  const fields = readStat(pid);
  return fields === null ? null : (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** The same of a process and its children, those that have ended and were waited for included. */
export function readFamilyCpuSeconds(pid: number): number | null {
  const own = readStat(pid);
  if (own === null) return null;
  const children = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name) && readStat(Number(name))?.[1] === String(pid));
  const ended = (Number(own[13]) + Number(own[14])) / TICKS_PER_SECOND;
  const living = children.reduce((total, child) => total + (readCpuSeconds(Number(child)) ?? 0), 0);
  return (readCpuSeconds(pid) ?? 0) + ended + living;
}

/** Resident memory in MB, or null where there is no /proc. */
export function readResidentMb(pid: number): number | null {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kilobytes === undefined ? null : Number(kilobytes) / 1_024;
  } catch {
    return null;
  }
}

/** The fields of /proc/<pid>/stat behind the name of the program, which may itself contain anything. */
function readStat(pid: number): string[] | null {
  try {
    const line = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
    return line.slice(line.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}
