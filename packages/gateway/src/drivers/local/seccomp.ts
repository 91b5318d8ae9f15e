interface Architecture {
  /** The kernel's name for it (AUDIT_ARCH_*). */
  audit: number;
  /** Refused: they need no capability, and reach what namespaces do not divide. */
  refused: number[];
  clone3: number;
  /** Refused when they ask for a user namespace, in which a program would have all capabilities again. */
  clone: number;
  unshare: number;
}

// Refused are add_key, request_key and keyctl, because the gateway's keyring is handed on with every key in it;
// syslog, because the kernel's log is the machine's; perf_event_open, bpf and userfaultfd, because they serve attacks on
// the kernel more than programs.
const x64: Architecture = {
  audit: 0xc000_003e,
  refused: [248, 249, 250, 103, 298, 321, 323],
  clone3: 435,
  clone: 56,
  unshare: 272,
};
const x86: Architecture = {
  audit: 0x4000_0003,
  refused: [286, 287, 288, 103, 336, 357, 374],
  clone3: 435,
  clone: 120,
  unshare: 310,
};
const arm64: Architecture = {
  audit: 0xc000_00b7,
  refused: [217, 218, 219, 116, 241, 280, 282],
  clone3: 435,
  clone: 220,
  unshare: 97,
};
const arm: Architecture = {
  audit: 0x4000_0028,
  refused: [309, 310, 311, 103, 364, 386, 388],
  clone3: 435,
  clone: 120,
  unshare: 337,
};

/** A machine runs programs of its own architecture and of the smaller one before it. */
const families: Partial<Record<NodeJS.Architecture, Architecture[]>> = {
  x64: [x64, x86],
  arm64: [arm64, arm],
};

/** A seccomp filter as bwrap takes it, or undefined on a machine whose numbers are not known here. */
export function seccompFilter(machine: NodeJS.Architecture): Buffer | undefined {
  const architectures = families[machine];
  if (architectures === undefined) return undefined;
  return Buffer.concat([...architectures.map(section), instruction(answer, notPermitted)]);
}

// Classic BPF over `struct seccomp_data`: the call's number is at 0, the architecture at 4, the first argument at 16.
const loadWord = 0x20;
const jumpIfEqual = 0x15;
const jumpIfAtLeast = 0x35;
const jumpIfAnyBit = 0x45;
const answer = 0x06;

const allowed = 0x7fff_0000;
const notPermitted = 0x0005_0001;
/** C libraries take the older call then, whose flags can be looked at. */
const notThere = 0x0005_0026;

const newUserNamespace = 0x1000_0000;
/** From here the numbers are those of a third set of calls, x32. */
const x32Start = 0x4000_0000;

function section({ audit, refused, clone3, clone, unshare }: Architecture): Buffer {
  type Target = 'flags' | 'refuse' | 'missing';
  const tests: [code: number, value: number, target: Target][] = [
    [jumpIfAtLeast, x32Start, 'refuse'],
    ...refused.map((number): [number, number, Target] => [jumpIfEqual, number, 'refuse']),
    [jumpIfEqual, clone3, 'missing'],
    [jumpIfEqual, clone, 'flags'],
    [jumpIfEqual, unshare, 'flags'],
  ];
  // After the tests: allow; then the flags in three instructions; then the two refusals.
  const places: Record<Target, number> = { flags: 1, refuse: 4, missing: 5 };
  const body = [
    instruction(loadWord, 0),
    ...tests.map(([code, value, target], index) =>
      instruction(code, value, tests.length - index - 1 + places[target]),
    ),
    instruction(answer, allowed),
    instruction(loadWord, 16),
    instruction(jumpIfAnyBit, newUserNamespace, 1),
    instruction(answer, allowed),
    instruction(answer, notPermitted),
    instruction(answer, notThere),
  ];
  return Buffer.concat([instruction(loadWord, 4), instruction(jumpIfEqual, audit, 0, body.length), ...body]);
}

function instruction(code: number, value: number, ifTrue = 0, ifFalse = 0): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(ifTrue, 2);
  bytes.writeUInt8(ifFalse, 3);
  bytes.writeUInt32LE(value, 4);
  return bytes;
}
