// What the page calls attributes and operators, and its texts, in both languages.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Attributes } from '../../packages/pages/browser/model.ts';
import {
  familyLabels,
  getFamily,
  labelAttribute,
  labelOperator,
  recordLabels,
} from '../../packages/pages/browser/search-labels.ts';
import { en } from '../../packages/pages/browser/texts-en.ts';
import { fr } from '../../packages/pages/browser/texts-fr.ts';
import { attributes as table } from '../../src/search/attributes.ts';
import { openApp } from '../harness/app.ts';
import { readEditableAttributes } from './editable-attributes.ts';

let attributes: Attributes;
beforeAll(async () => {
  attributes = await readEditableAttributes(await openApp());
});

describe('labels', () => {
  it('name every attribute and operator, none twice in a family, in both languages', () => {
    for (const language of ['en', 'fr'] as const) {
      const named = [...attributes.keys()].map((name) => `${getFamily(name)} ${labelAttribute(name, '_', language)}`);
      expect(new Set(named).size).toBe(named.length);
      expect(named.filter((label) => label.includes('_'))).toEqual([]);
      expect(Object.keys(table).filter((name) => !familyLabels[getFamily(name)]?.[language])).toEqual([]);
      for (const { name, kind, operators } of attributes.values()) {
        const labels = operators.map((operator) => labelOperator(operator.name, { attribute: name, kind }, language));
        expect([name, new Set(labels).size]).toEqual([name, labels.length]);
        expect(labels.filter((label) => /[_:]/.test(label))).toEqual([]);
      }
    }
  });

  it.each<[family: keyof typeof recordLabels, en: string, fr: string]>([
    ['donations', 'has given nothing, counting only these donations:', 'n’a rien donné, en ne comptant que ces dons :'],
    [
      'transactions',
      'has made no transaction, counting only these transactions:',
      'n’a fait aucune transaction, en ne comptant que ces transactions :',
    ],
    [
      'memberships',
      'has no membership, counting only these memberships:',
      'n’a aucune adhésion, en ne comptant que ces adhésions :',
    ],
    [
      'emails',
      'was sent no e-mail, counting only these e-mails:',
      'on ne lui a envoyé aucun courriel, en ne comptant que ces courriels :',
    ],
    [
      'sanctions',
      'has no sanction, counting only these sanctions:',
      'n’a aucune sanction, en ne comptant que ces sanctions :',
    ],
    ['notes', 'has no note, counting only these notes:', 'n’a aucune note, en ne comptant que ces notes :'],
    [
      'interactions',
      'has no interaction, counting only these interactions:',
      'n’a aucun échange, en ne comptant que ces échanges :',
    ],
  ])('of %s say that there is none, and which ones count', (family, en, fr) => {
    for (const [language, wanted] of [
      ['en', en],
      ['fr', fr],
    ] as const) {
      const none = labelOperator('none', { attribute: family, kind: 'RECORD' }, language);
      expect(`${none}, ${recordLabels[family].counting[language]}`).toBe(wanted);
    }
  });

  it.each<[family: keyof typeof recordLabels, en: string, fr: string]>([
    ['donations', 'has given', 'a donné'],
    ['transactions', 'has made a transaction', 'a fait une transaction'],
    ['memberships', 'has a membership', 'a une adhésion'],
    ['emails', 'was sent an e-mail', 'on lui a envoyé un courriel'],
    ['sanctions', 'has a sanction', 'a une sanction'],
    ['notes', 'has a note', 'a une note'],
    ['interactions', 'has an interaction', 'a un échange'],
  ])('of %s say that there is one', (attribute, en, fr) => {
    const said = (['en', 'fr'] as const).map((one) => labelOperator('any', { attribute, kind: 'RECORD' }, one));
    expect(said).toEqual([en, fr]);
  });

  it('of dates say which days are meant', () => {
    const say = (name: string) =>
      (['en', 'fr'] as const).map((one) => labelOperator(name, { attribute: 'CreatedAt', kind: 'INSTANT' }, one));
    expect(['lte', 'gte', 'range', 'within'].map(say)).toEqual([
      ['on or before', 'au plus tard le'],
      ['on or after', 'à partir du'],
      ['between', 'entre le'],
      ['in another period…', 'dans une autre période…'],
    ]);
  });

  it('differ between the languages, but for words that both share', () => {
    const shared = Object.keys(en).filter((key) => {
      const [one, other] = [en[key as keyof typeof en], fr[key as keyof typeof fr]];
      return typeof one === 'string' && one === other;
    });
    expect(shared.sort()).toEqual(['addCondition', 'currency', 'segment', 'source']);
  });
});
