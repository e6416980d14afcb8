// The start of the segment builder in the browser.
import { render } from 'preact';
import { isLanguage } from '../language.ts';
import { App } from './app.tsx';
import { takeFragment } from './session.ts';

const root = document.getElementById('root')!;
const { lang } = document.documentElement;
takeFragment();
render(<App graphiql={root.dataset.graphiql === 'true'} first={isLanguage(lang) ? lang : 'en'} />, root);
