// Takes the steps of the Dockerfile without Docker: each stage is a folder, and the Node of this machine stands in for that of the base image.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type Copy, DockerfileParser, type From } from 'dockerfile-ast';

const root = resolve(import.meta.dirname, '../..');

/** Where the image has its Node. */
export const nodePath = '/usr/local/bin/node';

interface Stage {
  /** What is / in the stage. */
  folder: string;
  /** The working directory, and the settings, that its steps have given so far. */
  workdir: string;
  env: Record<string, string>;
}

const startStage = (from: From, folder: string): Stage => {
  mkdirSync(folder);
  // All that the steps need of the base, and the machine has the rest. The last stage begins with nothing.
  if (from.getImage() !== 'scratch') cpSync(process.execPath, join(folder, nodePath));
  return { folder, workdir: '/', env: {} };
};

/** Copies as Docker does: of a folder its content, and into a folder whose name ends with /. */
const copyFiles = (step: Copy, stages: ReadonlyMap<string, Stage>, { folder, workdir }: Stage): void => {
  const from = step.getFromFlag()?.getValue();
  const source = from ? stages.get(from)!.folder : root;
  const paths = step.getArguments().map((one) => one.getValue());
  const target = paths.pop()!;
  const into = join(folder, resolve(workdir, target));
  for (const path of paths) {
    const found = join(source, path);
    const isFile = statSync(found).isFile();
    cpSync(found, isFile && target.endsWith('/') ? join(into, basename(path)) : into, { recursive: true });
  }
};

/** Runs a step by a shell of this machine. An older Node needs help with TypeScript. */
const runStep = (text: string, { folder, workdir }: Stage): void => {
  const env = {
    ...process.env,
    PATH: `${dirname(join(folder, nodePath))}:${process.env.PATH}`,
    NODE_OPTIONS: `--import=${import.meta.resolve('tsx')}`,
    npm_config_prefer_offline: 'true',
  };
  execFileSync('sh', ['-c', text], { cwd: join(folder, workdir), env, stdio: ['ignore', 'ignore', 'inherit'] });
};

/** Takes the steps up to the last one. The folder is made. Returns the last stage. */
export const buildImage = (folder: string): Stage => {
  const file = DockerfileParser.parse(readFileSync(join(root, 'Dockerfile'), 'utf8'));
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  if (!existsSync(folder)) mkdirSync(folder);
  for (const step of file.getInstructions()) {
    const text = step.getArgumentsContent() ?? '';
    const keyword = step.getKeyword();
    if (keyword === 'FROM') {
      const name = (step as From).getBuildStage() ?? 'image';
      stage = startStage(step as From, join(folder, name));
      stages.set(name, stage);
    } else if (keyword === 'WORKDIR') {
      stage!.workdir = resolve(stage!.workdir, text);
      mkdirSync(join(stage!.folder, stage!.workdir), { recursive: true });
    } else if (keyword === 'COPY') copyFiles(step as Copy, stages, stage!);
    else if (keyword === 'RUN') runStep(text, stage!);
    else if (keyword === 'ENV')
      for (const pair of text.split(' ')) stage!.env[pair.split('=')[0]!] = pair.split('=')[1]!;
  }
  return stage!;
};
