// Written by `npm run codegen`: change its source instead.

const FoundContact = `fragment FoundContact on Contact {
  id: databaseId
  group_id: groupId
  CreatedAt: createdAt
  UpdatedAt: updatedAt
  lastchange: lastChangedAt
  external_id: externalId
  firstname: firstName
  surname: lastName
  married_name: marriedName
  gender
  birthdate: birthDate
  age_category: ageCategory
  birthdept: birthDepartment
  birth_dept: birthDepartment
  birthcity: birthCity
  birth_city: birthCity
  birthcountry: birthCountry
  birth_country: birthCountry
  nationality
  mail: email
  phone
  phone_invalid: phoneInvalid
  mobile
  mobile_invalid: mobileInvalid
  black_list: optedOut
  address {
    id: databaseId
    housenumber: houseNumber
    street
    postalcode: postalCode
    citycode: cityCode
    city
    county
    state
    country
    addition
    infos: details
    building
    floor
    door
    pollingstation: pollingStation
    score
    latitude
    longitude
    location
    invalid: invalidReason
  }
  tags {
    name
    color
  }
  actions_ids: actionIds
  action_ids: actionIds
  formdatas: answerList {
    ...FormData
  }
  customfields: customFields {
    ...FormData
  }
  custom_fields: customFields {
    ...FormData
  }
  notes: note {
    id: databaseId
    created_at: createdAt
    updated_at: updatedAt
    data: content
    contact_id: contactId
    group_id: groupId
    user_id: userId
    pinned
  }
}`;
const FormData = `fragment FormData on Answer {
  id: databaseId
  form_id: formId
  form_ref_id: formRefId
  data: text
  created_at: createdAt
  updated_at: updatedAt
  date: answeredAt
  group_id: groupId
  contact_id: contactId
}`;
const ExportedContact = `fragment ExportedContact on Contact {
  ...FoundContact
  user_contact_id: userContactId
  formdatas: answerList {
    ...NamedAnswer
  }
  custom_fields: customFields {
    ...NamedAnswer
  }
  interactions: interactionList @include(if: $withInteractions) {
    ...Interaction
  }
}`;
const NamedAnswer = `fragment NamedAnswer on Answer {
  survey_id: surveyId
  form {
    kind
    label
  }
  refvalue: option {
    label
    value
  }
}`;
const Form = `fragment Form on Form {
  id: databaseId
  label
  type
  refvalues: options {
    ...FormOption
  }
}`;
const FormOption = `fragment FormOption on FormOption {
  id: databaseId
  form_id: formId
  label
  value
}`;
const Invitation = `fragment Invitation on Invitation {
  id: databaseId
  group_id: groupId
  email
  mobile_phone: mobilePhone
  role_id: roleId
  role {
    ...RoleSummary
  }
  team_ids: teamIds
  user_id: userId
  created_at: createdAt
  last_sent: lastSentAt
}`;
const RoleSummary = `fragment RoleSummary on Role {
  id: databaseId
  name
  order: position
  type
}`;
const SearchedContact = `fragment SearchedContact on Contact {
  ...FoundContact
  interactions: interactionList @include(if: $withInteractions) {
    ...Interaction
  }
}`;
const Interaction = `fragment Interaction on Interaction {
  id: databaseId
  created_at: createdAt
  updated_at: updatedAt
  type
  sub_type: subType
  title
  comments
  contact_id: contactId
  group_id: groupId
  user_id: userId
  only_super_admin: onlySuperAdmin
  files {
    id: databaseId
    created: createdAt
    owner_id: ownerId
    group_id: groupId
    subject
    url
    folder
    mime
    name
    is_interaction: isInteraction
  }
}`;
const Team = `fragment Team on Team {
  ...CreatedTeam
  address {
    lattitude: legacyLatitude
  }
}`;
const CreatedTeam = `fragment CreatedTeam on Team {
  id: databaseId
  name
  description
  private
  hide_users: hideUsers
  leaders {
    ...TeamUser
  }
  users {
    ...TeamUser
  }
  address {
    id: databaseId
    addition
    building
    building_type: buildingType
    city
    citycode: cityCode
    country
    county
    door
    floor
    housenumber: houseNumber
    house_number: houseNumber
    infos: details
    invalid
    latitude: legacyLatitude
    location
    longitude: legacyLongitude
    pollingstation: pollingStation
    postalcode: postalCode
    score
    state
    street
  }
  created_at: createdAt
  updated_at: updatedAt
}`;
const TeamUser = `fragment TeamUser on User {
  id: databaseId
  firstname: firstName
  surname: lastName
  mail: email
  avatar
  phone
  role {
    name
  }
  role_data: role {
    id: databaseId
    name
    color
    type
    order: position
    mobile
    web
  }
  CreatedAt: createdAt
  UpdatedAt: updatedAt
  created: createdAt
  address
  birthdate: birthDate
  city
  contacts @include(if: $mayReadContacts) {
    id: databaseId
  }
  group_id: groupId
  locale
  location
  postal: postalCode
  status
  two_factor_enable: twoFactorEnabled
  two_factor_method: twoFactorMethod
}`;
const User = `fragment User on User {
  id: databaseId
  created_at: createdAt
  updated_at: updatedAt
  created: createdAt
  address
  avatar
  birthdate: birthDate
  city
  firstname: firstName
  group_id: groupId
  selected_group_id: groupId
  locale
  location
  mail: email
  phone
  postal: postalCode
  role {
    name
  }
  role_data: role {
    ...RoleSummary
  }
  surname: lastName
}`;

export const operations = {
  ContactById: `query ContactById($contactId: ID!) {
  contact(id: $contactId) {
    etag: version
    id: databaseId
    created_at: createdAt
    updated_at: updatedAt
    address {
      id: databaseId
      addition
      building
      city
      country
      county
      door
      floor
      house_number: houseNumber
      infos: details
      latitude
      longitude
      postal_code: postalCode
      state
      street
    }
    age_category: ageCategory
    birth_city: birthCity
    birth_country: birthCountry
    birthdate: birthDate
    black_list: optedOut
    custom_fields: customFields {
      id: databaseId
      data: text
      form_id: formId
      form_ref_id: formRefId
    }
    firstname: firstName
    formdatas: answerList {
      id: databaseId
      data: text
      form_id: formId
      form_ref_id: formRefId
      date: answeredAt
      survey_id: surveyId
    }
    gender
    mail: email
    mobile
    mobile_invalid: mobileInvalid
    nationality
    phone
    phone_invalid: phoneInvalid
    surname: lastName
    tags {
      name
    }
  }
}`,
  ContactAsFound: `query ContactAsFound($contactId: ID!) {
  contact(id: $contactId) {
    etag: version
    ...FoundContact
  }
}

${FoundContact}

${FormData}`,
  CreateContact: `mutation CreateContact($input: ContactCreateInput!) {
  createContact(input: $input) {
    contact {
      etag: version
      ...FoundContact
    }
  }
}

${FoundContact}

${FormData}`,
  UpdateContact: `mutation UpdateContact($input: ContactUpdateInput!) {
  updateContact(input: $input) {
    contact {
      etag: version
      ...FoundContact
    }
  }
}

${FoundContact}

${FormData}`,
  DeleteContact: `mutation DeleteContact($input: ContactDeleteInput!) {
  deleteContact(input: $input) {
    message
    contact_id: databaseId
  }
}`,
  UpsertContact: `mutation UpsertContact($input: ContactUpsertInput!) {
  upsertContact(input: $input) {
    contact {
      id: databaseId
    }
    outcome
    not_followed: notFollowed
  }
}`,
  Export: `query Export($tree: QueryTree, $sortBy: SearchSort, $ascending: Boolean = false, $withInteractions: Boolean = false) {
  found: searchContactsByTree(
    tree: $tree
    first: 200
    sortBy: $sortBy
    ascending: $ascending
  ) {
    pageInfo {
      hasNextPage
    }
    contacts: nodes {
      ...ExportedContact
    }
  }
}

${ExportedContact}

${FoundContact}

${FormData}

${NamedAnswer}

${Interaction}`,
  FormsByKind: `query FormsByKind($kind: FormKind!) {
  forms: formList(kind: $kind) {
    ...Form
  }
}

${Form}

${FormOption}`,
  FormById: `query FormById($id: ID!) {
  form(id: $id) {
    ...Form
  }
}

${Form}

${FormOption}`,
  Invitations: `query Invitations {
  invitations: invitationList {
    ...Invitation
  }
}

${Invitation}

${RoleSummary}`,
  InviteUsers: `mutation InviteUsers($input: UsersInviteInput!) {
  inviteUsers(input: $input) {
    invitations {
      ...Invitation
    }
  }
}

${Invitation}

${RoleSummary}`,
  DeleteInvitation: `mutation DeleteInvitation($input: InvitationDeleteInput!) {
  deleteInvitation(input: $input) {
    message
  }
}`,
  CreateNote: `mutation CreateNote($input: NoteCreateInput!) {
  createNote(input: $input) {
    note {
      id: databaseId
      contact_id: contactId
      content
      pinned
      created_at: createdAt
      updated_at: updatedAt
    }
  }
}`,
  Roles: `query Roles {
  roles {
    id: databaseId
    name
    type
    order: position
    color
    mobile
    web
  }
}`,
  Search: `query Search($tree: QueryTree, $perPage: Int!, $page: WholeNumber = 0, $sortBy: SearchSort, $ascending: Boolean = false, $withInteractions: Boolean = false, $withTotal: Boolean = false) {
  found: searchContactsByTree(
    tree: $tree
    first: $perPage
    page: $page
    sortBy: $sortBy
    ascending: $ascending
  ) {
    total: totalCount @include(if: $withTotal)
    contacts: nodes {
      ...SearchedContact
    }
  }
}

${SearchedContact}

${FoundContact}

${FormData}

${Interaction}`,
  Kpi: `query Kpi($tree: QueryTree, $perPage: Int = 1, $page: WholeNumber = 0, $sortBy: SearchSort, $ascending: Boolean = false) {
  found: searchContactsByTree(
    tree: $tree
    first: $perPage
    page: $page
    sortBy: $sortBy
    ascending: $ascending
  ) {
    total: totalCount
  }
}`,
  MembershipPriceGroups: `query MembershipPriceGroups($limit: Int, $offset: WholeNumber) {
  membershipPriceGroups: membershipPriceGroupsPage(limit: $limit, offset: $offset) {
    total
    items {
      id: databaseId
      name
      hidden
      created_at: createdAt
      updated_at: updatedAt
      membership_prices: membershipPrices {
        id: databaseId
        name
        membership_price_group_id: membershipPriceGroupId
        amount: legacyAmount
        currency: legacyCurrency
        allow_custom_amount: allowCustomAmount
        hidden
        kind
        duration
        rolling_period: rollingPeriod
        created_at: createdAt
        updated_at: updatedAt
      }
    }
  }
}`,
  DonationPrices: `query DonationPrices($limit: Int, $offset: WholeNumber) {
  donationPrices: donationPricesPage(limit: $limit, offset: $offset) {
    total
    items {
      id: databaseId
      CreatedAt: createdAt
      UpdatedAt: updatedAt
      amount: legacyAmount
      currency: legacyCurrency
      allow_custom_amount: allowCustomAmount
      name
      hidden
      kind
    }
  }
}`,
  TransactionStatuses: `query TransactionStatuses($limit: Int, $offset: WholeNumber) {
  transactionStatuses: transactionStatusesPage(limit: $limit, offset: $offset) {
    total
    items {
      id: databaseId
      CreatedAt: createdAt
      UpdatedAt: updatedAt
      name
      color
      kind
      archived
    }
  }
}`,
  CreateTeam: `mutation CreateTeam($input: TeamCreateInput!, $mayReadContacts: Boolean = true) {
  createTeam(input: $input) {
    team {
      ...CreatedTeam
      etag: version
    }
  }
}

${CreatedTeam}

${TeamUser}`,
  ReplaceTeam: `mutation ReplaceTeam($input: TeamReplaceInput!, $mayReadContacts: Boolean = true) {
  replaceTeam(input: $input) {
    team {
      ...Team
      etag: version
    }
  }
}

${Team}

${CreatedTeam}

${TeamUser}`,
  DeleteTeam: `mutation DeleteTeam($input: TeamDeleteInput!) {
  deleteTeam(input: $input) {
    message
    team_id: databaseId
  }
}`,
  Teams: `query Teams($limit: Int = 1000, $offset: WholeNumber, $mayReadContacts: Boolean = true) {
  teams: teamsPage(limit: $limit, offset: $offset) {
    teams: items {
      ...Team
    }
  }
}

${Team}

${CreatedTeam}

${TeamUser}`,
  TeamById: `query TeamById($id: ID!, $mayReadContacts: Boolean = true) {
  team(id: $id) {
    ...Team
    etag: version
  }
}

${Team}

${CreatedTeam}

${TeamUser}`,
  UserById: `query UserById($id: ID!) {
  User: user(id: $id) {
    ...User
  }
}

${User}

${RoleSummary}`,
  Users: `query Users($limit: Int, $offset: WholeNumber, $sort: Boolean) {
  users: usersPage(limit: $limit, offset: $offset, sort: $sort) {
    count: total
    users: items {
      ...User
    }
  }
}

${User}

${RoleSummary}`,
  UpdateUser: `mutation UpdateUser($input: UserUpdateInput!) {
  updateUser(input: $input) {
    user {
      id: databaseId
    }
  }
}`,
} as const;
