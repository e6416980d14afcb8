// The vocabulary of a French campaign, association or union.

const list = (text: string): string[] => text.split('|').map((word) => word.trim());

export const spaceNames = list(
  'Mouvement Citoyen des Territoires|Syndicat des Métiers du Soin|Association Rivières Vivantes|Collectif Logement Digne|Ligue des Parents d’Élèves|Fédération des Locataires|Énergie Partagée du Val|Culture pour Toutes et Tous',
);

/** Words from the most frequent to the rarest. */
export const tags = list(
  `Sympathisant|Adhérent 2026|Newsletter|Donateur|Bénévole|Adhérent 2025|Militant|Pétition climat|Porte-à-porte|À rappeler|Élu local|
  Réunion publique 2026|Ancien adhérent|Parent d’élève|Étudiant|Retraité|Assesseur|Groupe Facebook|Signataire logement|Soutien municipales 2026|Tracteur marché|
  Covoiturage|Jeunes|Personnel de santé|Enseignant|Agriculteur|Commerçant|Conseiller municipal|Presse locale|Référent de quartier|Collage|
  Syndicaliste|Université d’été 2025|Trésorier|Hébergeur|Maire|Candidat|Fonction publique|Bureau de vote|Grand donateur|Traduction|
  Photographe|Juriste|Formation 2026|Webmestre|Conseiller départemental|Partenaire|Journaliste|Doublon possible|Parrainage`,
);

export const colors = list('#1b6ca8|#c0392b|#27ae60|#8e44ad|#f39c12|#16a085|#2c3e50|#d35400|#7f8c8d|#e84393');

export const actions = list(
  `Porte-à-porte du centre-ville|Tractage au marché|Réunion publique de rentrée|Collage d’affiches|Boîtage du quartier de la gare|
  Soirée d’appels|Accueil des nouveaux adhérents|Tenue d’un bureau de vote|Fête de la fédération|Marche pour le climat|
  Collecte solidaire|Café citoyen|Formation au porte-à-porte|Manifestation du 1er mai|Débat sur le logement|
  Nettoyage des berges|Visite d’entreprise|Permanence juridique|Assemblée générale|Pique-nique des familles`,
);

export const teamNames = list(
  `Porte-à-porte Nord|Communication|Trésorerie|Équipe du centre-ville|Veille juridique|Jeunes|Logistique|Comité de suivi`,
);

export const noteOpenings = list(
  `Rencontré au marché|Appelé ce matin|A répondu au questionnaire|Vu à la réunion publique|Croisé devant l’école|Message laissé sur le répondeur|
  Échange par courriel|Passé à la permanence|Connu par le réseau des parents d’élèves|Signalé par la section locale`,
);
export const noteMatters = list(
  `très sensible à la question du logement|s’inquiète pour l’école du quartier|demande des nouvelles de la pétition|veut aider le week-end|
  souhaite parler à un élu|trouve que les transports se dégradent|attend une réponse sur sa cotisation|ne veut plus être appelé le soir|
  propose de prêter une salle|connaît bien les commerçants de la place|a déménagé récemment|hésite encore`,
);
export const noteEndings = list(
  `À rappeler.|Rien à faire pour l’instant.|Transmis au référent.|Très bon contact !|Envoyer le programme.|Voir avec Camille.|
  Relancer après les fêtes.|Ne pas insister.|Intéressé par une adhésion (tarif réduit).|Peut accueillir 10 personnes.`,
);

export const professions = list(
  `infirmière|enseignant|retraité|étudiante|aide-soignante|cadre|ingénieur|agricultrice|ouvrier|artisan boulanger|comptable|assistante sociale|
  chauffeur-livreur|médecin|avocate|cheminot|vendeuse|informaticien|éducatrice spécialisée|pompier|facteur|secrétaire|architecte|ATSEM|
  conducteur de bus|pharmacienne|menuisier|professeur des écoles|sans emploi|intermittent du spectacle`,
);
export const employers = list(
  `mairie|hôpital public|éducation nationale|conseil départemental|SNCF|La Poste|indépendant|petite entreprise|association|coopérative|
  grande distribution|usine|chambre d’agriculture|cabinet médical|université|région`,
);

export const campaignSubjects = list(
  `Votre carte d’adhérent est arrivée|Réunion publique : venez nombreux !|Le climat n’attend pas|Ensemble pour l’école|Appel aux dons de fin d’année|
  Lettre d’information|Rendez-vous au marché samedi|Logement : nos propositions|Besoin de bénévoles ce week-end|Santé : sauvons l’hôpital|
  Transports : le questionnaire|Merci !|Convocation à l’assemblée générale|Dernier jour pour signer|Le programme de la rentrée`,
);
export const campaignThemes = list(
  'climat|école|santé|logement|transports|retraites|énergie|culture|emploi|sécurité|agriculture|jeunesse',
);
export const goals = list('information|donation|event|membership|petition|mobilization');

export const links = list(
  'https://example.org/don|https://example.org/petition/climat|https://example.org/agenda|https://example.org/adhesion|https://example.org/programme.pdf|https://example.net/questionnaire?id=12|https://example.org/se-desinscrire',
);
export const mailDomains = list('example.org|example.com|example.net');
