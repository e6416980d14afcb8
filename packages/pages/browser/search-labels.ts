// The names of attributes and operators as people read them. The types come from the tables of the search language, so that none can be missing.
import type { AttributeName } from '../../../src/search/attributes.ts';
import type { Operator } from '../../../src/search/operators.ts';
import { type Label, type Language, say } from '../language.ts';
import type { Attribute } from './model.ts';

const families: Record<string, AttributeName[]> = {
  reach: ['mail', 'phone', 'mobile', 'phone_invalid', 'mobile_invalid', 'black_list', 'opted_out_at'],
  links: ['tags.name', 'action_ids', 'actions.name', 'custom_fields', 'form', 'consented_at', 'segment'],
  record: ['lastchange', 'user_id', 'user_contact_id', 'id', 'external_id', 'CreatedAt', 'UpdatedAt'],
};
const familyOf = new Map(
  Object.entries(families).flatMap(([family, names]) => names.map((name): [string, string] => [name, family])),
);

/** The family under which an attribute is offered. */
export const getFamily = (name: string): string => {
  const first = name.split('.')[0]!;
  return familyOf.get(name) ?? (first in familyLabels ? first : 'person');
};

/** The attributes that stand for all records of a family. */
type RecordFamily = Extract<
  AttributeName,
  'transactions' | 'donations' | 'memberships' | 'emails' | 'sanctions' | 'notes' | 'interactions'
>;

/** A family of records, how a condition asks for one or for none, and how it goes on to say which ones count. */
export const recordLabels: Record<RecordFamily, Record<'name' | 'any' | 'none' | 'counting', Label>> = {
  transactions: {
    name: say('Transactions', 'Transactions'),
    any: say('has made a transaction', 'a fait une transaction'),
    none: say('has made no transaction', 'n’a fait aucune transaction'),
    counting: say('counting only these transactions:', 'en ne comptant que ces transactions :'),
  },
  donations: {
    name: say('Donations', 'Dons'),
    any: say('has given', 'a donné'),
    none: say('has given nothing', 'n’a rien donné'),
    counting: say('counting only these donations:', 'en ne comptant que ces dons :'),
  },
  memberships: {
    name: say('Memberships', 'Adhésions'),
    any: say('has a membership', 'a une adhésion'),
    none: say('has no membership', 'n’a aucune adhésion'),
    counting: say('counting only these memberships:', 'en ne comptant que ces adhésions :'),
  },
  emails: {
    name: say('E-mails', 'Courriels'),
    any: say('was sent an e-mail', 'on lui a envoyé un courriel'),
    none: say('was sent no e-mail', 'on ne lui a envoyé aucun courriel'),
    counting: say('counting only these e-mails:', 'en ne comptant que ces courriels :'),
  },
  sanctions: {
    name: say('Sanctions', 'Sanctions'),
    any: say('has a sanction', 'a une sanction'),
    none: say('has no sanction', 'n’a aucune sanction'),
    counting: say('counting only these sanctions:', 'en ne comptant que ces sanctions :'),
  },
  notes: {
    name: say('Notes', 'Notes'),
    any: say('has a note', 'a une note'),
    none: say('has no note', 'n’a aucune note'),
    counting: say('counting only these notes:', 'en ne comptant que ces notes :'),
  },
  interactions: {
    name: say('Interactions', 'Échanges'),
    any: say('has an interaction', 'a un échange'),
    none: say('has no interaction', 'n’a aucun échange'),
    counting: say('counting only these interactions:', 'en ne comptant que ces échanges :'),
  },
};

/** By the first part of an attribute's name. */
export const familyLabels: Record<string, Label> = {
  person: say('Person', 'Personne'),
  reach: say('How to reach them', 'Coordonnées'),
  address: say('Address', 'Adresse'),
  links: say('Tags, actions, forms, segments', 'Étiquettes, actions, formulaires, segments'),
  record: say('The record itself', 'La fiche elle-même'),
  ...Object.fromEntries(Object.entries(recordLabels).map(([family, { name }]) => [family, name])),
};

const attributeLabels: Record<Exclude<AttributeName, RecordFamily>, Label> = {
  firstname: say('First name', 'Prénom'),
  surname: say('Family name', 'Nom'),
  married_name: say('Name by marriage', 'Nom d’usage'),
  gender: say('Gender', 'Genre'),
  birthdate: say('Day of birth', 'Date de naissance'),
  age_cat: say('Age category', 'Catégorie d’âge'),
  birthcity: say('City of birth', 'Ville de naissance'),
  birth_dept: say('Department of birth', 'Département de naissance'),
  birthcountry: say('Country of birth', 'Pays de naissance'),
  nationality: say('Nationality', 'Nationalité'),
  mail: say('E-mail address', 'Adresse électronique'),
  phone: say('Landline', 'Téléphone fixe'),
  mobile: say('Mobile phone', 'Téléphone mobile'),
  phone_invalid: say('Landline number is wrong', 'Téléphone fixe erroné'),
  mobile_invalid: say('Mobile number is wrong', 'Téléphone mobile erroné'),
  'tags.name': say('Tag', 'Étiquette'),
  'actions.name': say('Name of an action', 'Nom d’une action'),
  black_list: say('Opted out of everything', 'Opposition à tout contact'),
  lastchange: say('Last change', 'Dernière modification'),
  user_id: say('Last changed by', 'Modifiée en dernier par'),
  user_contact_id: say('User account', 'Compte d’utilisateur'),
  action_ids: say('Action', 'Action'),
  'address.city': say('City', 'Ville'),
  'address.postalcode': say('Postal code', 'Code postal'),
  'address.street': say('Street', 'Voie'),
  'address.country': say('Country', 'Pays'),
  'address.housenumber': say('House number', 'Numéro'),
  'address.building': say('Building', 'Bâtiment'),
  'address.floor': say('Floor', 'Étage'),
  'address.door': say('Door', 'Porte'),
  'address.addition': say('Second line of the address', 'Complément d’adresse'),
  'address.pollingstation': say('Polling station', 'Bureau de vote'),
  'address.invalid': say('Problem with the address', 'Problème d’adresse'),
  'address.citycode': say('Municipality code', 'Code de la commune'),
  'address.county': say('County', 'Département'),
  'address.state': say('State', 'Région'),
  'address.infos': say('Details of the address', 'Précisions sur l’adresse'),
  'address.location': say('Named place', 'Lieu-dit'),
  'address.latitude': say('Latitude', 'Latitude (degrés)'),
  'address.longitude': say('Longitude', 'Longitude (degrés)'),
  'address.score': say('Precision of the position', 'Précision de la position'),
  'transactions.created_at': say('Transaction recorded', 'Transaction enregistrée'),
  'transactions.updated_at': say('Transaction changed', 'Transaction modifiée'),
  'transactions.date': say('Transaction date', 'Date de transaction'),
  'transactions.amount': say('Transaction amount', 'Montant d’une transaction'),
  'transactions.sum_amount': say('Total of transactions', 'Total des transactions'),
  'transactions.count_amount': say('Number of transactions', 'Nombre de transactions'),
  'transactions.code_campaign': say('Campaign code', 'Code de campagne'),
  'transactions.payment_method_kind': say('Means of payment', 'Moyen de paiement'),
  'transactions.status_id': say('Transaction status', 'Statut de transaction'),
  'donations.created_at': say('Donation recorded', 'Don enregistré'),
  'donations.updated_at': say('Donation changed', 'Don modifié'),
  'donations.transaction_date': say('Donation date', 'Date de don'),
  'donations.amount': say('Donation amount', 'Montant d’un don'),
  'donations.sum_amount': say('Total of donations', 'Total des dons'),
  'donations.count_amount': say('Number of donations', 'Nombre de dons'),
  'donations.payment_method_kind': say('Means of payment of the donation', 'Moyen de paiement du don'),
  'donations.donation_price_id': say('Donation price', 'Tarif de don'),
  'memberships.count_amount': say('Number of memberships', 'Nombre d’adhésions'),
  'memberships.created_at': say('Membership recorded', 'Adhésion enregistrée'),
  'memberships.updated_at': say('Membership changed', 'Adhésion modifiée'),
  'memberships.amount': say('Membership amount', 'Montant d’une adhésion'),
  'memberships.start_date': say('Start of membership', 'Début d’adhésion'),
  'memberships.end_date': say('End of membership', 'Fin d’adhésion'),
  'memberships.transaction_date': say('Membership payment date', 'Date de paiement de l’adhésion'),
  'memberships.period': say('Member in the year', 'Adhérent pour l’année'),
  'memberships.multiple_in_period': say('Several memberships in the year', 'Plusieurs adhésions pour l’année'),
  'memberships.membership_price_id': say('Membership price', 'Tarif d’adhésion'),
  'emails.count_amount': say('Number of e-mails', 'Nombre de courriels'),
  'emails.created_at': say('E-mail sent', 'Courriel envoyé'),
  'emails.delivered_at': say('E-mail delivered', 'Courriel remis'),
  'emails.opened_at': say('E-mail opened', 'Courriel ouvert'),
  'emails.clicked_at': say('Link clicked', 'Clic sur un lien'),
  'emails.bounced_at': say('E-mail bounced', 'Courriel rejeté'),
  'emails.unsubscribed_at': say('Unsubscribed', 'Désabonnement'),
  'emails.blacklisted_at': say('E-mail blocked', 'Courriel bloqué'),
  'emails.abuse_report_at': say('Reported as spam', 'Signalé comme indésirable'),
  'emails.campaign_performance_rating': say('Campaign performance, 0 to 100', 'Performance de la campagne, de 0 à 100'),
  'emails.type': say('Type of e-mail', 'Type de courriel'),
  'emails.sender': say('Sender', 'Expéditeur'),
  'emails.user_id': say('Sent by', 'Envoyé par'),
  'emails.campaign_id': say('Campaign', 'Campagne'),
  'emails.campaign_goal': say('Campaign goal', 'Objectif de la campagne'),
  'emails.campaign_is_successful': say('Campaign succeeded', 'Campagne réussie'),
  'emails.template_id': say('Template', 'Modèle'),
  'emails.subject': say('Subject', 'Objet'),
  'emails.campaign_name': say('Name of the campaign', 'Nom de la campagne'),
  'emails.template_name': say('Name of the template', 'Nom du modèle'),
  'emails.clicked_urls': say('Address of a clicked link', 'Adresse d’un lien cliqué'),
  'sanctions.count_amount': say('Number of sanctions', 'Nombre de sanctions'),
  'sanctions.created_at': say('Sanction recorded', 'Sanction enregistrée'),
  'sanctions.updated_at': say('Sanction changed', 'Sanction modifiée'),
  'sanctions.start_date': say('Start of sanction', 'Début de sanction'),
  'sanctions.end_date': say('End of sanction', 'Fin de sanction'),
  'sanctions.status': say('Status of the sanction', 'Statut de la sanction'),
  'sanctions.validity': say('Sanction in force', 'Validité de la sanction'),
  'notes.count_amount': say('Number of notes', 'Nombre de notes'),
  'notes.created_at': say('Note written', 'Note écrite'),
  'notes.updated_at': say('Note changed', 'Note modifiée'),
  'notes.content': say('Text of a note', 'Texte d’une note'),
  'notes.pinned': say('Note is pinned', 'Note épinglée'),
  'notes.user_id': say('Author of a note', 'Auteur d’une note'),
  'interactions.count_amount': say('Number of interactions', 'Nombre d’échanges'),
  'interactions.created_at': say('Interaction recorded', 'Échange enregistré'),
  'interactions.updated_at': say('Interaction changed', 'Échange modifié'),
  'interactions.type': say('Type of interaction', 'Type d’échange'),
  'interactions.sub_type': say('Subtype of interaction', 'Sous-type d’échange'),
  'interactions.title': say('Title of an interaction', 'Titre d’un échange'),
  'interactions.comments': say('Comments on an interaction', 'Commentaires d’un échange'),
  'interactions.user_id': say('Recorded by', 'Enregistré par'),
  custom_fields: say('Custom field', 'Champ personnalisé'),
  form: say('Answer to a form', 'Réponse à un formulaire'),
  'address.near': say('Lives near', 'Habite près de'),
  'address.within': say('Lives in the area', 'Habite dans la zone'),
  opted_out_at: say('Date of the opt-out', 'Date de l’opposition'),
  consented_at: say('Date of consent', 'Date du consentement'),
  segment: say('Saved segment', 'Segment enregistré'),
  id: say('Contact number', 'Numéro de la fiche'),
  external_id: say('Number in another system', 'Numéro dans un autre système'),
  CreatedAt: say('Created', 'Création'),
  UpdatedAt: say('Last update of any kind', 'Dernière mise à jour, même automatique'),
};

const operatorLabels: Record<Exclude<Operator, 'any' | 'all' | 'none'>, Label> = {
  eql: say('is', 'est'),
  not_eql: say('is not', 'n’est pas'),
  ext: say('is there', 'est renseigné'),
  not_ext: say('is missing', 'n’est pas renseigné'),
  lte: say('is at most', 'est au plus'),
  gte: say('is at least', 'est au moins'),
  range: say('is between', 'est entre'),
  contains: say('contains', 'contient'),
  not_contains: say('does not contain', 'ne contient pas'),
  start_with: say('starts with', 'commence par'),
  not_start_with: say('does not start with', 'ne commence pas par'),
  'eql:strictdata': say('is exactly', 'est exactement'),
  'not_eql:strictdata': say('is not exactly', 'n’est pas exactement'),
  any_of: say('is one of', 'est parmi'),
  none_of: say('is none of', 'n’est pas parmi'),
  all_of: say('has all of', 'a tout ce qui suit'),
  inside: say('lies in', 'se trouve dans'),
  not_inside: say('does not lie in', 'ne se trouve pas dans'),
  within: say('in another period…', 'dans une autre période…'),
  period: say('falls each year between', 'tombe chaque année entre'),
};

/** The names of operators on dates. */
const dateLabels: Partial<Record<Operator, Label>> = {
  eql: say('on', 'le'),
  not_eql: say('not on', 'un autre jour que le'),
  lte: say('on or before', 'au plus tard le'),
  gte: say('on or after', 'à partir du'),
  range: say('between', 'entre le'),
};

/** The operators in the order in which they are offered: of dates, the usual ones come first. */
const dateOrder = ['lte', 'gte', 'range', 'eql', 'not_eql', 'within', 'period', 'ext', 'not_ext'];
export const listDateOperators = ({ kind, operators }: Attribute): Attribute['operators'] =>
  kind === 'DAY' || kind === 'INSTANT'
    ? [...operators].sort((one, other) => dateOrder.indexOf(one.name) - dateOrder.indexOf(other.name))
    : operators;

/** The names of operators on tags, of which a contact has several. */
const tagLabels: Partial<Record<Operator, Label>> = {
  eql: say('has', 'a'),
  not_eql: say('has not', 'n’a pas'),
  ext: say('has any', 'en a'),
  not_ext: say('has none', 'n’en a aucune'),
  any_of: say('has one of', 'a l’une de'),
  none_of: say('has none of', 'n’a aucune de'),
  all_of: say('has all of', 'a toutes'),
};

/** The name of an attribute; what the server says of one that this page does not know. */
export const labelAttribute = (name: string, description: string, language: Language): string =>
  ((attributeLabels as Record<string, Label>)[name] ?? recordLabels[name as RecordFamily]?.name)?.[language] ??
  description;

export const labelOperator = (
  name: string,
  { attribute, kind }: { attribute: string; kind: string },
  language: Language,
): string => {
  const special: Partial<Record<string, Label>> =
    recordLabels[attribute as RecordFamily] ??
    (attribute === 'tags.name' ? tagLabels : kind === 'DAY' || kind === 'INSTANT' ? dateLabels : {});
  const label = special[name] ?? (operatorLabels as Record<string, Label>)[name];
  return label?.[language] ?? name;
};
