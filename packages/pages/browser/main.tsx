// The start of the segment builder in the browser.
import { render } from 'preact';
import { isLanguage } from '../language.ts';
import { App } from './app.tsx';
import { takeFragment } from './session.ts';
import { textsOf } from './texts.ts';

const root = document.getElementById('root')!;
const { lang } = document.documentElement;
const first = isLanguage(lang) ? lang : 'en';
takeFragment(location.hash, textsOf[first].replaceToken);
render(<App graphiql={root.dataset.graphiql === 'true'} first={first} />, root);
