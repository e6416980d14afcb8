// How the app is served and built. In development its own origin passes requests on to Muster, so that no setting of Muster is needed.
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const proxy = { '/graphql': { target: process.env.MUSTER_URL ?? 'http://localhost:4000', changeOrigin: true } };

/** Beside the client, the app is built with its sources. A copy of the app installs the package, and needs no alias here and no path in tsconfig.json. */
const alias = { '@muster/client': fileURLToPath(new URL('../../clients/typescript/src/index.ts', import.meta.url)) };

export default defineConfig({ plugins: [react()], resolve: { alias }, server: { proxy }, preview: { proxy } });
