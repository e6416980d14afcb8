// Written by `npm run codegen`: change its source instead.

export const operations = {
  ContactById: `query ContactById($contactId: Id!) {
  contact(id: $contactId) {
    etag: version
    id
    created_at: createdAt
    updated_at: updatedAt
    address {
      id
      addition
      building
      city
      country
      county
      door
      floor
      house_number: houseNumber
      infos
      latitude
      longitude
      postal_code: postalCode
      state
      street
    }
    age_category: ageCategory
    birth_city: birthCity
    birth_country: birthCountry
    birthdate
    black_list: blackList
    custom_fields: customFields {
      id
      data
      form_id: formId
      form_ref_id: formRefId
    }
    firstname
    formdatas: answers {
      id
      data
      form_id: formId
      form_ref_id: formRefId
      date
      survey_id: surveyId
    }
    gender
    mail
    mobile
    mobile_invalid: mobileInvalid
    nationality
    phone
    phone_invalid: phoneInvalid
    surname
    tags {
      name
    }
  }
}`,
  ContactAsFound: `query ContactAsFound($contactId: Id!) {
  contact(id: $contactId) {
    etag: version
    ...FoundContact
  }
}

fragment FoundContact on Contact {
  id
  group_id: groupId
  CreatedAt: createdAt
  UpdatedAt: updatedAt
  lastchange
  external_id: externalId
  firstname
  surname
  married_name: marriedName
  gender
  birthdate
  age_category: ageCategory
  birthdept: birthDept
  birth_dept: birthDept
  birthcity: birthCity
  birth_city: birthCity
  birthcountry: birthCountry
  birth_country: birthCountry
  nationality
  mail
  phone
  phone_invalid: phoneInvalid
  mobile
  mobile_invalid: mobileInvalid
  black_list: blackList
  address {
    id
    housenumber: houseNumber
    street
    postalcode: postalCode
    citycode
    city
    county
    state
    country
    addition
    infos
    building
    floor
    door
    pollingstation: pollingStation
    score
    latitude
    longitude
    location
    invalid
  }
  tags {
    name
    color
  }
  actions_ids: actionIds
  action_ids: actionIds
  formdatas: answers {
    ...FormData
  }
  customfields: customFields {
    ...FormData
  }
  custom_fields: customFields {
    ...FormData
  }
  notes: note {
    id
    created_at: createdAt
    updated_at: updatedAt
    data: content
    contact_id: contactId
    group_id: groupId
    user_id: userId
    pinned
  }
}

fragment FormData on Answer {
  id
  form_id: formId
  form_ref_id: formRefId
  data
  created_at: createdAt
  updated_at: updatedAt
  date
  group_id: groupId
  contact_id: contactId
}`,
  CreateContact: `mutation CreateContact($input: ContactInput!) {
  contact: createContact(input: $input) {
    etag: version
    ...FoundContact
  }
}

fragment FoundContact on Contact {
  id
  group_id: groupId
  CreatedAt: createdAt
  UpdatedAt: updatedAt
  lastchange
  external_id: externalId
  firstname
  surname
  married_name: marriedName
  gender
  birthdate
  age_category: ageCategory
  birthdept: birthDept
  birth_dept: birthDept
  birthcity: birthCity
  birth_city: birthCity
  birthcountry: birthCountry
  birth_country: birthCountry
  nationality
  mail
  phone
  phone_invalid: phoneInvalid
  mobile
  mobile_invalid: mobileInvalid
  black_list: blackList
  address {
    id
    housenumber: houseNumber
    street
    postalcode: postalCode
    citycode
    city
    county
    state
    country
    addition
    infos
    building
    floor
    door
    pollingstation: pollingStation
    score
    latitude
    longitude
    location
    invalid
  }
  tags {
    name
    color
  }
  actions_ids: actionIds
  action_ids: actionIds
  formdatas: answers {
    ...FormData
  }
  customfields: customFields {
    ...FormData
  }
  custom_fields: customFields {
    ...FormData
  }
  notes: note {
    id
    created_at: createdAt
    updated_at: updatedAt
    data: content
    contact_id: contactId
    group_id: groupId
    user_id: userId
    pinned
  }
}

fragment FormData on Answer {
  id
  form_id: formId
  form_ref_id: formRefId
  data
  created_at: createdAt
  updated_at: updatedAt
  date
  group_id: groupId
  contact_id: contactId
}`,
  UpdateContact: `mutation UpdateContact($id: Id!, $input: ContactInput!, $expectedVersion: Int) {
  contact: updateContact(
    id: $id
    input: $input
    expectedVersion: $expectedVersion
  ) {
    etag: version
    ...FoundContact
  }
}

fragment FoundContact on Contact {
  id
  group_id: groupId
  CreatedAt: createdAt
  UpdatedAt: updatedAt
  lastchange
  external_id: externalId
  firstname
  surname
  married_name: marriedName
  gender
  birthdate
  age_category: ageCategory
  birthdept: birthDept
  birth_dept: birthDept
  birthcity: birthCity
  birth_city: birthCity
  birthcountry: birthCountry
  birth_country: birthCountry
  nationality
  mail
  phone
  phone_invalid: phoneInvalid
  mobile
  mobile_invalid: mobileInvalid
  black_list: blackList
  address {
    id
    housenumber: houseNumber
    street
    postalcode: postalCode
    citycode
    city
    county
    state
    country
    addition
    infos
    building
    floor
    door
    pollingstation: pollingStation
    score
    latitude
    longitude
    location
    invalid
  }
  tags {
    name
    color
  }
  actions_ids: actionIds
  action_ids: actionIds
  formdatas: answers {
    ...FormData
  }
  customfields: customFields {
    ...FormData
  }
  custom_fields: customFields {
    ...FormData
  }
  notes: note {
    id
    created_at: createdAt
    updated_at: updatedAt
    data: content
    contact_id: contactId
    group_id: groupId
    user_id: userId
    pinned
  }
}

fragment FormData on Answer {
  id
  form_id: formId
  form_ref_id: formRefId
  data
  created_at: createdAt
  updated_at: updatedAt
  date
  group_id: groupId
  contact_id: contactId
}`,
  DeleteContact: `mutation DeleteContact($id: Id!) {
  deleteContact(id: $id) {
    message
    contact_id: id
  }
}`,
  UpsertContact: `mutation UpsertContact($input: UpsertContactInput!) {
  upserted: upsertContact(input: $input) {
    contact {
      id
    }
    outcome
  }
}`,
  Export: `query Export($tree: QueryTree, $sortBy: SearchSort, $ascending: Boolean = false, $withInteractions: Boolean = false) {
  found: searchContacts(
    tree: $tree
    first: 1000
    sortBy: $sortBy
    ascending: $ascending
  ) {
    pageInfo {
      hasNextPage
    }
    contacts: nodes {
      ...FoundContact
      user_contact_id: userContactId
      formdatas: answers {
        ...NamedAnswer
      }
      custom_fields: customFields {
        ...NamedAnswer
      }
      interactions @include(if: $withInteractions) {
        ...Interaction
      }
    }
  }
}

fragment FoundContact on Contact {
  id
  group_id: groupId
  CreatedAt: createdAt
  UpdatedAt: updatedAt
  lastchange
  external_id: externalId
  firstname
  surname
  married_name: marriedName
  gender
  birthdate
  age_category: ageCategory
  birthdept: birthDept
  birth_dept: birthDept
  birthcity: birthCity
  birth_city: birthCity
  birthcountry: birthCountry
  birth_country: birthCountry
  nationality
  mail
  phone
  phone_invalid: phoneInvalid
  mobile
  mobile_invalid: mobileInvalid
  black_list: blackList
  address {
    id
    housenumber: houseNumber
    street
    postalcode: postalCode
    citycode
    city
    county
    state
    country
    addition
    infos
    building
    floor
    door
    pollingstation: pollingStation
    score
    latitude
    longitude
    location
    invalid
  }
  tags {
    name
    color
  }
  actions_ids: actionIds
  action_ids: actionIds
  formdatas: answers {
    ...FormData
  }
  customfields: customFields {
    ...FormData
  }
  custom_fields: customFields {
    ...FormData
  }
  notes: note {
    id
    created_at: createdAt
    updated_at: updatedAt
    data: content
    contact_id: contactId
    group_id: groupId
    user_id: userId
    pinned
  }
}

fragment FormData on Answer {
  id
  form_id: formId
  form_ref_id: formRefId
  data
  created_at: createdAt
  updated_at: updatedAt
  date
  group_id: groupId
  contact_id: contactId
}

fragment NamedAnswer on Answer {
  survey_id: surveyId
  form {
    kind
    label
  }
  refvalue {
    label
    value
  }
}

fragment Interaction on Interaction {
  id
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
    id
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
}`,
  FormsByKind: `query FormsByKind($kind: FormKind!) {
  forms(kind: $kind) {
    ...Form
  }
}

fragment Form on Form {
  id
  label
  type
  refvalues {
    id
    form_id: formId
    label
    value
  }
}`,
  FormById: `query FormById($id: Id!) {
  form(id: $id) {
    ...Form
  }
}

fragment Form on Form {
  id
  label
  type
  refvalues {
    id
    form_id: formId
    label
    value
  }
}`,
  Invitations: `query Invitations {
  invitations {
    ...Invitation
  }
}

fragment Invitation on Invitation {
  id
  group_id: groupId
  email
  mobile_phone: mobilePhone
  role_id: roleId
  role {
    id
    name
    order
    type
  }
  team_ids: teamIds
  user_id: userId
  created_at: createdAt
  last_sent: lastSent
}`,
  InviteUsers: `mutation InviteUsers($invitations: [InvitationInput!]!) {
  invitations: inviteUsers(invitations: $invitations) {
    ...Invitation
  }
}

fragment Invitation on Invitation {
  id
  group_id: groupId
  email
  mobile_phone: mobilePhone
  role_id: roleId
  role {
    id
    name
    order
    type
  }
  team_ids: teamIds
  user_id: userId
  created_at: createdAt
  last_sent: lastSent
}`,
  DeleteInvitation: `mutation DeleteInvitation($id: Id!) {
  deleteInvitation(id: $id) {
    message
  }
}`,
  CreateNote: `mutation CreateNote($contactId: Id!, $input: NoteInput!) {
  createNote(contactId: $contactId, input: $input) {
    id
    contact_id: contactId
    content
    pinned
    created_at: createdAt
    updated_at: updatedAt
  }
}`,
  Roles: `query Roles {
  roles {
    id
    name
    type
    order
    color
    mobile
    web
  }
}`,
  Search: `query Search($tree: QueryTree, $perPage: Int!, $page: WholeNumber = 0, $sortBy: SearchSort, $ascending: Boolean = false, $withInteractions: Boolean = false, $withTotal: Boolean = false) {
  found: searchContacts(
    tree: $tree
    first: $perPage
    page: $page
    sortBy: $sortBy
    ascending: $ascending
  ) {
    total: totalCount @include(if: $withTotal)
    contacts: nodes {
      ...FoundContact
      interactions @include(if: $withInteractions) {
        ...Interaction
      }
    }
  }
}

fragment FoundContact on Contact {
  id
  group_id: groupId
  CreatedAt: createdAt
  UpdatedAt: updatedAt
  lastchange
  external_id: externalId
  firstname
  surname
  married_name: marriedName
  gender
  birthdate
  age_category: ageCategory
  birthdept: birthDept
  birth_dept: birthDept
  birthcity: birthCity
  birth_city: birthCity
  birthcountry: birthCountry
  birth_country: birthCountry
  nationality
  mail
  phone
  phone_invalid: phoneInvalid
  mobile
  mobile_invalid: mobileInvalid
  black_list: blackList
  address {
    id
    housenumber: houseNumber
    street
    postalcode: postalCode
    citycode
    city
    county
    state
    country
    addition
    infos
    building
    floor
    door
    pollingstation: pollingStation
    score
    latitude
    longitude
    location
    invalid
  }
  tags {
    name
    color
  }
  actions_ids: actionIds
  action_ids: actionIds
  formdatas: answers {
    ...FormData
  }
  customfields: customFields {
    ...FormData
  }
  custom_fields: customFields {
    ...FormData
  }
  notes: note {
    id
    created_at: createdAt
    updated_at: updatedAt
    data: content
    contact_id: contactId
    group_id: groupId
    user_id: userId
    pinned
  }
}

fragment FormData on Answer {
  id
  form_id: formId
  form_ref_id: formRefId
  data
  created_at: createdAt
  updated_at: updatedAt
  date
  group_id: groupId
  contact_id: contactId
}

fragment Interaction on Interaction {
  id
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
    id
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
}`,
  Kpi: `query Kpi($tree: QueryTree, $perPage: Int = 1, $page: WholeNumber = 0, $sortBy: SearchSort, $ascending: Boolean = false) {
  found: searchContacts(
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
  membershipPriceGroups(limit: $limit, offset: $offset) {
    total
    items {
      id
      name
      hidden
      created_at: createdAt
      updated_at: updatedAt
      membership_prices: membershipPrices {
        id
        name
        membership_price_group_id: membershipPriceGroupId
        amount
        currency
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
  donationPrices(limit: $limit, offset: $offset) {
    total
    items {
      id
      CreatedAt: createdAt
      UpdatedAt: updatedAt
      amount
      currency
      allow_custom_amount: allowCustomAmount
      name
      hidden
      kind
    }
  }
}`,
  TransactionStatuses: `query TransactionStatuses($limit: Int, $offset: WholeNumber) {
  transactionStatuses(limit: $limit, offset: $offset) {
    total
    items {
      id
      CreatedAt: createdAt
      UpdatedAt: updatedAt
      name
      color
      kind
      archived
    }
  }
}`,
  CreateTeam: `mutation CreateTeam($input: TeamInput!) {
  team: createTeam(input: $input) {
    ...Team
    etag: version
  }
}

fragment Team on Team {
  id
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
    id
    addition
    building
    building_type: buildingType
    city
    citycode
    country
    county
    door
    floor
    housenumber: houseNumber
    house_number: houseNumber
    infos
    invalid
    latitude
    location
    longitude
    pollingstation: pollingStation
    postalcode: postalCode
    score
    state
    street
  }
  created_at: createdAt
  updated_at: updatedAt
}

fragment TeamUser on User {
  id
  firstname
  surname
  mail
  avatar
  phone
  role {
    name
  }
  role_data: role {
    id
    name
    color
    type
    order
    mobile
    web
  }
  CreatedAt: createdAt
  UpdatedAt: updatedAt
  created: createdAt
  address
  birthdate
  city
  contacts {
    id
  }
  group_id: groupId
  locale
  location
  postal
  status
  two_factor_enable: twoFactorEnable
  two_factor_method: twoFactorMethod
}`,
  ReplaceTeam: `mutation ReplaceTeam($id: Id!, $input: TeamInput!, $expectedVersion: Int) {
  team: replaceTeam(id: $id, input: $input, expectedVersion: $expectedVersion) {
    ...Team
    etag: version
    address {
      lattitude: latitude
    }
  }
}

fragment Team on Team {
  id
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
    id
    addition
    building
    building_type: buildingType
    city
    citycode
    country
    county
    door
    floor
    housenumber: houseNumber
    house_number: houseNumber
    infos
    invalid
    latitude
    location
    longitude
    pollingstation: pollingStation
    postalcode: postalCode
    score
    state
    street
  }
  created_at: createdAt
  updated_at: updatedAt
}

fragment TeamUser on User {
  id
  firstname
  surname
  mail
  avatar
  phone
  role {
    name
  }
  role_data: role {
    id
    name
    color
    type
    order
    mobile
    web
  }
  CreatedAt: createdAt
  UpdatedAt: updatedAt
  created: createdAt
  address
  birthdate
  city
  contacts {
    id
  }
  group_id: groupId
  locale
  location
  postal
  status
  two_factor_enable: twoFactorEnable
  two_factor_method: twoFactorMethod
}`,
  DeleteTeam: `mutation DeleteTeam($id: Id!) {
  deleteTeam(id: $id) {
    message
    team_id: id
  }
}`,
  Teams: `query Teams($limit: Int = 1000, $offset: WholeNumber) {
  teams(limit: $limit, offset: $offset) {
    teams: items {
      ...Team
      address {
        lattitude: latitude
      }
    }
  }
}

fragment Team on Team {
  id
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
    id
    addition
    building
    building_type: buildingType
    city
    citycode
    country
    county
    door
    floor
    housenumber: houseNumber
    house_number: houseNumber
    infos
    invalid
    latitude
    location
    longitude
    pollingstation: pollingStation
    postalcode: postalCode
    score
    state
    street
  }
  created_at: createdAt
  updated_at: updatedAt
}

fragment TeamUser on User {
  id
  firstname
  surname
  mail
  avatar
  phone
  role {
    name
  }
  role_data: role {
    id
    name
    color
    type
    order
    mobile
    web
  }
  CreatedAt: createdAt
  UpdatedAt: updatedAt
  created: createdAt
  address
  birthdate
  city
  contacts {
    id
  }
  group_id: groupId
  locale
  location
  postal
  status
  two_factor_enable: twoFactorEnable
  two_factor_method: twoFactorMethod
}`,
  TeamById: `query TeamById($id: Id!) {
  team(id: $id) {
    ...Team
    etag: version
    address {
      lattitude: latitude
    }
  }
}

fragment Team on Team {
  id
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
    id
    addition
    building
    building_type: buildingType
    city
    citycode
    country
    county
    door
    floor
    housenumber: houseNumber
    house_number: houseNumber
    infos
    invalid
    latitude
    location
    longitude
    pollingstation: pollingStation
    postalcode: postalCode
    score
    state
    street
  }
  created_at: createdAt
  updated_at: updatedAt
}

fragment TeamUser on User {
  id
  firstname
  surname
  mail
  avatar
  phone
  role {
    name
  }
  role_data: role {
    id
    name
    color
    type
    order
    mobile
    web
  }
  CreatedAt: createdAt
  UpdatedAt: updatedAt
  created: createdAt
  address
  birthdate
  city
  contacts {
    id
  }
  group_id: groupId
  locale
  location
  postal
  status
  two_factor_enable: twoFactorEnable
  two_factor_method: twoFactorMethod
}`,
  UserById: `query UserById($id: Id!) {
  User: user(id: $id) {
    ...User
  }
}

fragment User on User {
  id
  created_at: createdAt
  updated_at: updatedAt
  created: createdAt
  address
  avatar
  birthdate
  city
  firstname
  group_id: groupId
  selected_group_id: groupId
  locale
  location
  mail
  phone
  postal
  role {
    name
  }
  role_data: role {
    id
    name
    order
    type
  }
  surname
}`,
  Users: `query Users($limit: Int, $offset: WholeNumber, $sort: Boolean) {
  users(limit: $limit, offset: $offset, sort: $sort) {
    count: total
    users: items {
      ...User
    }
  }
}

fragment User on User {
  id
  created_at: createdAt
  updated_at: updatedAt
  created: createdAt
  address
  avatar
  birthdate
  city
  firstname
  group_id: groupId
  selected_group_id: groupId
  locale
  location
  mail
  phone
  postal
  role {
    name
  }
  role_data: role {
    id
    name
    order
    type
  }
  surname
}`,
  UpdateUser: `mutation UpdateUser($id: Id!, $input: UserInput!) {
  updateUser(id: $id, input: $input) {
    id
  }
}`,
} as const;
