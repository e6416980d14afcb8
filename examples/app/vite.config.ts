// How the app is served and built. In development its own origin passes requests on to Muster, so that no setting of Muster is needed.
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const proxy = { '/graphql': { target: process.env.MUSTER_URL ?? 'http://localhost:4000', changeOrigin: true } };

export default defineConfig({ plugins: [react()], server: { proxy }, preview: { proxy } });
