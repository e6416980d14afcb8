// Runs the command line as a process, from a build of the program.
import { execFile } from 'node:child_process';
import { buildProgram } from './program.ts';

export interface Result {
  code: number;
  out: string;
  err: string;
}
export type Env = Record<string, string | undefined>;

/** Builds the program. `environment` gives the settings that a command is run with. */
export const buildCommandLine = (databaseUrl: () => string) => {
  const { folder, program } = buildProgram();
  const environment = (env: Env): Env => ({ PATH: process.env.PATH, DATABASE_URL: databaseUrl(), PORT: '0', ...env });
  /** Runs a command line to its end. */
  const muster = (line: string, env: Env = {}): Promise<Result> =>
    new Promise((resolve) => {
      const args = [program, ...line.split(' ').filter(Boolean)];
      const options = { cwd: folder, env: environment(env), timeout: 60_000 };
      execFile(process.execPath, args, options, (error, out, err) =>
        resolve({ code: error ? Number(error.code ?? -1) : 0, out, err }),
      );
    });
  return { folder, program, environment, muster };
};
