// Mailings: campaigns, which say what the e-mails of one mailing have in common, and the templates that they are made from.
import { campaigns } from '../../src/data/contact/campaign.ts';
import { templates } from '../../src/data/contact/template.ts';
import { defineNounList } from '../graph/noun.ts';

defineNounList(templates, { alsoDeletes: 'Campaigns made from it stay.' });
export const { type: Campaign } = defineNounList(campaigns, { alsoDeletes: 'Its e-mails stay on the contacts.' });
