import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The images of the docker suites: made once on a machine, and kept in the user's cache. */
export const dockerImages = {
  /** An ordinary Debian. */
  debian: 'fairlead-test/debian',
  /** bash and busybox, both static: no libc, no tmux, no users. */
  bare: 'fairlead-test/bare',
  /** busybox alone. */
  noBash: 'fairlead-test/no-bash',
} as const;

const release = 'bookworm';
const packages = ['bash-static', 'busybox-static', 'procps', 'tmux'];

/** Makes the file systems of all images out of one, next to each other in a directory. */
const recipe = `
set -e
debootstrap --variant=minbase --include=${packages.join(',')} ${release} debian "$1" >debootstrap.log 2>&1 ||
  { tail -n 20 debootstrap.log debian/debootstrap/debootstrap.log >&2; exit 1; }
rm -rf debian/var/cache/apt/archives/*.deb debian/var/lib/apt/lists/* debian/usr/share/{doc,info,locale,man}
mkdir -p bare/{bin,tmp} no-bash/bin
chmod 1777 bare/tmp
for image in bare no-bash; do
  cp debian/bin/busybox $image/bin
  for applet in $(debian/bin/busybox --list); do [ $applet = busybox ] || ln -s busybox $image/bin/$applet; done
done
cp debian/bin/bash-static bare/bin/bash
for image in debian bare no-bash; do tar -C $image -cf $image.tar .; done
rm -rf debian bare no-bash
`;

export async function prepareDockerImages(): Promise<{ name: string; file: string }[]> {
  const version = createHash('sha256').update(recipe).digest('hex').slice(0, 12);
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'fairlead-tests');
  const directory = join(cache, `docker-images-${version}`);
  if (!existsSync(directory)) await make(cache, directory);
  return Object.values(dockerImages).map((name) => ({
    name,
    file: join(directory, `${name.split('/')[1]}.tar`),
  }));
}

async function make(cache: string, directory: string): Promise<void> {
  process.stderr.write('Making the images of the docker suites (about a minute, once on a machine) … ');
  await mkdir(cache, { recursive: true });
  const attempt = await mkdtemp(join(cache, 'docker-images-'));
  try {
    await run('bash', ['-c', recipe, 'recipe', await mirror()], { cwd: attempt });
    // Another run may have been faster.
    await rename(attempt, directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
    process.stderr.write('done\n');
  } catch (error) {
    process.stderr.write('failed\n');
    throw error;
  } finally {
    await rm(attempt, { recursive: true, force: true });
  }
}

/** The machine's own, where it has the release. */
async function mirror(): Promise<string> {
  const format = ['--format', '$(RELEASE) $(REPO_URI)', 'Created-By: Packages'];
  const { stdout } = await run('apt-get', ['indextargets', ...format]).catch(() => ({ stdout: '' }));
  const own = stdout.split('\n').find((line) => line.startsWith(`${release} `));
  return own?.split(' ')[1] ?? 'http://deb.debian.org/debian';
}
