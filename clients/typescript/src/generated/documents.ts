// Written by `npm run codegen`: change its source instead.
import type { TypedDocument } from '../document.ts';
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { SearchDate } from '../search/search-date.ts';
/** A condition on: whether the contact is a user. It has exactly one operator. */
export type AccountIdCondition =
  {   /** True: has a value; false: has no value. */
  exists: boolean; };

/** A condition on: an action that the contact is linked to. It has exactly one operator. */
export type ActionIdCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string | number; notEquals?: never; }
  |  { equals?: never;   /** Does not equal. */
  notEquals: string | number; };

/** A condition on: name of an action that the contact is linked to. It has exactly one operator. */
export type ActionsCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; hasAll?: never; in?: never; notEquals?: never; notIn?: never; }
  |  { equals?: never;   /** Has all of the list. */
  hasAll: Array<string>; in?: never; notEquals?: never; notIn?: never; }
  |  { equals?: never; hasAll?: never;   /** Is one of the list, or has one of it. */
  in: Array<string>; notEquals?: never; notIn?: never; }
  |  { equals?: never; hasAll?: never; in?: never;   /** Does not equal. */
  notEquals: string; notIn?: never; }
  |  { equals?: never; hasAll?: never; in?: never; notEquals?: never;   /** Is none of the list, or has none of it. */
  notIn: Array<string>; };

/** A condition on: second line of the address. It has exactly one operator. */
export type AddressAdditionCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; exists?: never; notEquals?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; }
  |  { equals?: never; exists?: never;   /** Does not equal. */
  notEquals: string; };

/** A condition on: building. It has exactly one operator. */
export type AddressBuildingCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; exists?: never; notEquals?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; }
  |  { equals?: never; exists?: never;   /** Does not equal. */
  notEquals: string; };

/** A condition on: code of the municipality. It has exactly one operator. */
export type AddressCityCodeCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; exists?: never; notEquals?: never; notStartsWith?: never; startsWith?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; notStartsWith?: never; startsWith?: never; }
  |  { equals?: never; exists?: never;   /** Does not equal. */
  notEquals: string; notStartsWith?: never; startsWith?: never; }
  |  { equals?: never; exists?: never; notEquals?: never;   /** Does not start with the text. */
  notStartsWith: string; startsWith?: never; }
  |  { equals?: never; exists?: never; notEquals?: never; notStartsWith?: never;   /** Starts with the text. */
  startsWith: string; };

/** A condition on: city. It has exactly one operator. */
export type AddressCityCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; exists?: never; notEquals?: never; notStartsWith?: never; startsWith?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; notStartsWith?: never; startsWith?: never; }
  |  { equals?: never; exists?: never;   /** Does not equal. */
  notEquals: string; notStartsWith?: never; startsWith?: never; }
  |  { equals?: never; exists?: never; notEquals?: never;   /** Does not start with the text. */
  notStartsWith: string; startsWith?: never; }
  |  { equals?: never; exists?: never; notEquals?: never; notStartsWith?: never;   /** Starts with the text. */
  startsWith: string; };

/** A condition on: country. It has exactly one operator. */
export type AddressCountryCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; exists?: never; notEquals?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; }
  |  { equals?: never; exists?: never;   /** Does not equal. */
  notEquals: string; };

/** A condition on: county or department. It has exactly one operator. */
export type AddressCountyCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; exists?: never; notEquals?: never; notStartsWith?: never; startsWith?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; notStartsWith?: never; startsWith?: never; }
  |  { equals?: never; exists?: never;   /** Does not equal. */
  notEquals: string; notStartsWith?: never; startsWith?: never; }
  |  { equals?: never; exists?: never; notEquals?: never;   /** Does not start with the text. */
  notStartsWith: string; startsWith?: never; }
  |  { equals?: never; exists?: never; notEquals?: never; notStartsWith?: never;   /** Starts with the text. */
  startsWith: string; };

/** A condition on: further details. It has exactly one operator. */
export type AddressDetailsCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; exists?: never; notEquals?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; }
  |  { equals?: never; exists?: never;   /** Does not equal. */
  notEquals: string; };

/** A condition on: door. It has exactly one operator. */
export type AddressDoorCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; exists?: never; notEquals?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; }
  |  { equals?: never; exists?: never;   /** Does not equal. */
  notEquals: string; };

/** A condition on: floor. It has exactly one operator. */
export type AddressFloorCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; exists?: never; notEquals?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; }
  |  { equals?: never; exists?: never;   /** Does not equal. */
  notEquals: string; };

/** A condition on: house number. It has exactly one operator. */
export type AddressHouseNumberCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; exists?: never; notEquals?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; }
  |  { equals?: never; exists?: never;   /** Does not equal. */
  notEquals: string; };

/** A condition on: why the address is of no use. It has exactly one operator. */
export type AddressInvalidReasonCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; exists?: never; notEquals?: never; notStartsWith?: never; startsWith?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; notStartsWith?: never; startsWith?: never; }
  |  { equals?: never; exists?: never;   /** Does not equal. */
  notEquals: string; notStartsWith?: never; startsWith?: never; }
  |  { equals?: never; exists?: never; notEquals?: never;   /** Does not start with the text. */
  notStartsWith: string; startsWith?: never; }
  |  { equals?: never; exists?: never; notEquals?: never; notStartsWith?: never;   /** Starts with the text. */
  startsWith: string; };

/** A condition on: latitude in degrees. It has exactly one operator. */
export type AddressLatitudeCondition =
  {   /** Is between `from` and `to`, both included. */
  between: DecimalRange; exists?: never; gte?: never; lte?: never; }
  |  { between?: never;   /** True: has a value; false: has no value. */
  exists: boolean; gte?: never; lte?: never; }
  |  { between?: never; exists?: never;   /** Is at least. */
  gte: number; lte?: never; }
  |  { between?: never; exists?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: number; };

/** A condition on: named place. It has exactly one operator. */
export type AddressLocationCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; exists?: never; notEquals?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; }
  |  { equals?: never; exists?: never;   /** Does not equal. */
  notEquals: string; };

/** A condition on: longitude in degrees. It has exactly one operator. */
export type AddressLongitudeCondition =
  {   /** Is between `from` and `to`, both included. */
  between: DecimalRange; exists?: never; gte?: never; lte?: never; }
  |  { between?: never;   /** True: has a value; false: has no value. */
  exists: boolean; gte?: never; lte?: never; }
  |  { between?: never; exists?: never;   /** Is at least. */
  gte: number; lte?: never; }
  |  { between?: never; exists?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: number; };

/** A circle around exactly one of a point, a contact and a postal code. Where a contact or a code has no coordinates, it finds nobody, and `explainSearch` says so. */
export type AddressNear = {
  /** Its centre is where this contact lives now. */
  contactId?: string | number | null | undefined;
  /** Its radius in kilometres, more than 0 and at most 20037, along the surface of the earth. */
  km: number;
  /** Its centre. */
  point?: Coordinates | null | undefined;
  /** Its centre is the middle of the addresses with this postal code, of the first thousand contacts who have it. */
  postalCode?: string | null | undefined;
};

/** A condition on: polling station. It has exactly one operator. */
export type AddressPollingStationCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; exists?: never; in?: never; notEquals?: never; notIn?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; in?: never; notEquals?: never; notIn?: never; }
  |  { equals?: never; exists?: never;   /** Is one of the list, or has one of it. */
  in: Array<string>; notEquals?: never; notIn?: never; }
  |  { equals?: never; exists?: never; in?: never;   /** Does not equal. */
  notEquals: string; notIn?: never; }
  |  { equals?: never; exists?: never; in?: never; notEquals?: never;   /** Is none of the list, or has none of it. */
  notIn: Array<string>; };

/** A condition on: postal code. It has exactly one operator. */
export type AddressPostalCodeCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; exists?: never; notEquals?: never; notStartsWith?: never; startsWith?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; notStartsWith?: never; startsWith?: never; }
  |  { equals?: never; exists?: never;   /** Does not equal. */
  notEquals: string; notStartsWith?: never; startsWith?: never; }
  |  { equals?: never; exists?: never; notEquals?: never;   /** Does not start with the text. */
  notStartsWith: string; startsWith?: never; }
  |  { equals?: never; exists?: never; notEquals?: never; notStartsWith?: never;   /** Starts with the text. */
  startsWith: string; };

/** A condition on the address of a contact. */
export type AddressQuery =
  {   /** Second line of the address. */
  addition: AddressAdditionCondition; building?: never; city?: never; cityCode?: never; country?: never; county?: never; details?: never; door?: never; floor?: never; houseNumber?: never; invalidReason?: never; latitude?: never; location?: never; longitude?: never; near?: never; pollingStation?: never; postalCode?: never; score?: never; state?: never; street?: never; within?: never; }
  |  { addition?: never;   /** Building. */
  building: AddressBuildingCondition; city?: never; cityCode?: never; country?: never; county?: never; details?: never; door?: never; floor?: never; houseNumber?: never; invalidReason?: never; latitude?: never; location?: never; longitude?: never; near?: never; pollingStation?: never; postalCode?: never; score?: never; state?: never; street?: never; within?: never; }
  |  { addition?: never; building?: never;   /** City. */
  city: AddressCityCondition; cityCode?: never; country?: never; county?: never; details?: never; door?: never; floor?: never; houseNumber?: never; invalidReason?: never; latitude?: never; location?: never; longitude?: never; near?: never; pollingStation?: never; postalCode?: never; score?: never; state?: never; street?: never; within?: never; }
  |  { addition?: never; building?: never; city?: never;   /** Code of the municipality. */
  cityCode: AddressCityCodeCondition; country?: never; county?: never; details?: never; door?: never; floor?: never; houseNumber?: never; invalidReason?: never; latitude?: never; location?: never; longitude?: never; near?: never; pollingStation?: never; postalCode?: never; score?: never; state?: never; street?: never; within?: never; }
  |  { addition?: never; building?: never; city?: never; cityCode?: never;   /** Country. */
  country: AddressCountryCondition; county?: never; details?: never; door?: never; floor?: never; houseNumber?: never; invalidReason?: never; latitude?: never; location?: never; longitude?: never; near?: never; pollingStation?: never; postalCode?: never; score?: never; state?: never; street?: never; within?: never; }
  |  { addition?: never; building?: never; city?: never; cityCode?: never; country?: never;   /** County or department. */
  county: AddressCountyCondition; details?: never; door?: never; floor?: never; houseNumber?: never; invalidReason?: never; latitude?: never; location?: never; longitude?: never; near?: never; pollingStation?: never; postalCode?: never; score?: never; state?: never; street?: never; within?: never; }
  |  { addition?: never; building?: never; city?: never; cityCode?: never; country?: never; county?: never;   /** Further details. */
  details: AddressDetailsCondition; door?: never; floor?: never; houseNumber?: never; invalidReason?: never; latitude?: never; location?: never; longitude?: never; near?: never; pollingStation?: never; postalCode?: never; score?: never; state?: never; street?: never; within?: never; }
  |  { addition?: never; building?: never; city?: never; cityCode?: never; country?: never; county?: never; details?: never;   /** Door. */
  door: AddressDoorCondition; floor?: never; houseNumber?: never; invalidReason?: never; latitude?: never; location?: never; longitude?: never; near?: never; pollingStation?: never; postalCode?: never; score?: never; state?: never; street?: never; within?: never; }
  |  { addition?: never; building?: never; city?: never; cityCode?: never; country?: never; county?: never; details?: never; door?: never;   /** Floor. */
  floor: AddressFloorCondition; houseNumber?: never; invalidReason?: never; latitude?: never; location?: never; longitude?: never; near?: never; pollingStation?: never; postalCode?: never; score?: never; state?: never; street?: never; within?: never; }
  |  { addition?: never; building?: never; city?: never; cityCode?: never; country?: never; county?: never; details?: never; door?: never; floor?: never;   /** House number. */
  houseNumber: AddressHouseNumberCondition; invalidReason?: never; latitude?: never; location?: never; longitude?: never; near?: never; pollingStation?: never; postalCode?: never; score?: never; state?: never; street?: never; within?: never; }
  |  { addition?: never; building?: never; city?: never; cityCode?: never; country?: never; county?: never; details?: never; door?: never; floor?: never; houseNumber?: never;   /** Why the address is of no use. */
  invalidReason: AddressInvalidReasonCondition; latitude?: never; location?: never; longitude?: never; near?: never; pollingStation?: never; postalCode?: never; score?: never; state?: never; street?: never; within?: never; }
  |  { addition?: never; building?: never; city?: never; cityCode?: never; country?: never; county?: never; details?: never; door?: never; floor?: never; houseNumber?: never; invalidReason?: never;   /** Latitude in degrees. */
  latitude: AddressLatitudeCondition; location?: never; longitude?: never; near?: never; pollingStation?: never; postalCode?: never; score?: never; state?: never; street?: never; within?: never; }
  |  { addition?: never; building?: never; city?: never; cityCode?: never; country?: never; county?: never; details?: never; door?: never; floor?: never; houseNumber?: never; invalidReason?: never; latitude?: never;   /** Named place. */
  location: AddressLocationCondition; longitude?: never; near?: never; pollingStation?: never; postalCode?: never; score?: never; state?: never; street?: never; within?: never; }
  |  { addition?: never; building?: never; city?: never; cityCode?: never; country?: never; county?: never; details?: never; door?: never; floor?: never; houseNumber?: never; invalidReason?: never; latitude?: never; location?: never;   /** Longitude in degrees. */
  longitude: AddressLongitudeCondition; near?: never; pollingStation?: never; postalCode?: never; score?: never; state?: never; street?: never; within?: never; }
  |  { addition?: never; building?: never; city?: never; cityCode?: never; country?: never; county?: never; details?: never; door?: never; floor?: never; houseNumber?: never; invalidReason?: never; latitude?: never; location?: never; longitude?: never;   /** Lives within so many kilometres of a point, of where a contact lives now, or of the middle of a postal code. */
  near: AddressNear; pollingStation?: never; postalCode?: never; score?: never; state?: never; street?: never; within?: never; }
  |  { addition?: never; building?: never; city?: never; cityCode?: never; country?: never; county?: never; details?: never; door?: never; floor?: never; houseNumber?: never; invalidReason?: never; latitude?: never; location?: never; longitude?: never; near?: never;   /** Polling station. */
  pollingStation: AddressPollingStationCondition; postalCode?: never; score?: never; state?: never; street?: never; within?: never; }
  |  { addition?: never; building?: never; city?: never; cityCode?: never; country?: never; county?: never; details?: never; door?: never; floor?: never; houseNumber?: never; invalidReason?: never; latitude?: never; location?: never; longitude?: never; near?: never; pollingStation?: never;   /** Postal code. */
  postalCode: AddressPostalCodeCondition; score?: never; state?: never; street?: never; within?: never; }
  |  { addition?: never; building?: never; city?: never; cityCode?: never; country?: never; county?: never; details?: never; door?: never; floor?: never; houseNumber?: never; invalidReason?: never; latitude?: never; location?: never; longitude?: never; near?: never; pollingStation?: never; postalCode?: never;   /** How sure the geocoding is. */
  score: AddressScoreCondition; state?: never; street?: never; within?: never; }
  |  { addition?: never; building?: never; city?: never; cityCode?: never; country?: never; county?: never; details?: never; door?: never; floor?: never; houseNumber?: never; invalidReason?: never; latitude?: never; location?: never; longitude?: never; near?: never; pollingStation?: never; postalCode?: never; score?: never;   /** State or region. */
  state: AddressStateCondition; street?: never; within?: never; }
  |  { addition?: never; building?: never; city?: never; cityCode?: never; country?: never; county?: never; details?: never; door?: never; floor?: never; houseNumber?: never; invalidReason?: never; latitude?: never; location?: never; longitude?: never; near?: never; pollingStation?: never; postalCode?: never; score?: never; state?: never;   /** Street. */
  street: AddressStreetCondition; within?: never; }
  |  { addition?: never; building?: never; city?: never; cityCode?: never; country?: never; county?: never; details?: never; door?: never; floor?: never; houseNumber?: never; invalidReason?: never; latitude?: never; location?: never; longitude?: never; near?: never; pollingStation?: never; postalCode?: never; score?: never; state?: never; street?: never;   /** Lives within a polygon of GeoJSON: an outer ring and holes, each of closed positions `[longitude, latitude]`. */
  within: AddressWithin; };

/** A condition on: how sure the geocoding is. It has exactly one operator. */
export type AddressScoreCondition =
  {   /** Is between `from` and `to`, both included. */
  between: DecimalRange; exists?: never; gte?: never; lte?: never; }
  |  { between?: never;   /** True: has a value; false: has no value. */
  exists: boolean; gte?: never; lte?: never; }
  |  { between?: never; exists?: never;   /** Is at least. */
  gte: number; lte?: never; }
  |  { between?: never; exists?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: number; };

/** A condition on: state or region. It has exactly one operator. */
export type AddressStateCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; exists?: never; notEquals?: never; notStartsWith?: never; startsWith?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; notStartsWith?: never; startsWith?: never; }
  |  { equals?: never; exists?: never;   /** Does not equal. */
  notEquals: string; notStartsWith?: never; startsWith?: never; }
  |  { equals?: never; exists?: never; notEquals?: never;   /** Does not start with the text. */
  notStartsWith: string; startsWith?: never; }
  |  { equals?: never; exists?: never; notEquals?: never; notStartsWith?: never;   /** Starts with the text. */
  startsWith: string; };

/** A condition on: street. It has exactly one operator. */
export type AddressStreetCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; exists?: never; notEquals?: never; notStartsWith?: never; startsWith?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; notStartsWith?: never; startsWith?: never; }
  |  { equals?: never; exists?: never;   /** Does not equal. */
  notEquals: string; notStartsWith?: never; startsWith?: never; }
  |  { equals?: never; exists?: never; notEquals?: never;   /** Does not start with the text. */
  notStartsWith: string; startsWith?: never; }
  |  { equals?: never; exists?: never; notEquals?: never; notStartsWith?: never;   /** Starts with the text. */
  startsWith: string; };

/** A polygon as GeoJSON has it. Its edges are straight in degrees; one that lies over the antimeridian is cut there in two, joined by `or`. */
export type AddressWithin = {
  /** The `coordinates` of a GeoJSON Polygon: its outer ring, then the rings of its holes. A ring is a list of positions `[longitude, latitude]`, of which the last is the first. A point on the outer ring lies within, one on the ring of a hole does not. */
  polygon: Array<Array<Array<number>>>;
};

/** A condition on: age category, 0 to 6. It has exactly one operator. */
export type AgeCategoryCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: number; exists?: never; notEquals?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; }
  |  { equals?: never; exists?: never;   /** Does not equal. */
  notEquals: number; };

/** A condition on: answer to a form. It has exactly one operator. */
export type AnswerCondition =
  {   /** Is between `from` and `to`, both included. */
  between: TextRange; contains?: never; equals?: never; exists?: never; gte?: never; lte?: never; notContains?: never; notEquals?: never; }
  |  { between?: never;   /** Contains the text. */
  contains: string; equals?: never; exists?: never; gte?: never; lte?: never; notContains?: never; notEquals?: never; }
  |  { between?: never; contains?: never;   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; exists?: never; gte?: never; lte?: never; notContains?: never; notEquals?: never; }
  |  { between?: never; contains?: never; equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; gte?: never; lte?: never; notContains?: never; notEquals?: never; }
  |  { between?: never; contains?: never; equals?: never; exists?: never;   /** Is at least. */
  gte: string; lte?: never; notContains?: never; notEquals?: never; }
  |  { between?: never; contains?: never; equals?: never; exists?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: string; notContains?: never; notEquals?: never; }
  |  { between?: never; contains?: never; equals?: never; exists?: never; gte?: never; lte?: never;   /** Does not contain the text. */
  notContains: string; notEquals?: never; }
  |  { between?: never; contains?: never; equals?: never; exists?: never; gte?: never; lte?: never; notContains?: never;   /** Does not equal. */
  notEquals: string; };

/** An answer to a form. */
export type AnswerInput = {
  /** When it was answered. */
  answeredAt?: string | null | undefined;
  /** The form. */
  formId: string | number;
  /** One of its options. */
  optionId: string | number;
  /** The survey in which it was answered. */
  surveyId?: string | number | null | undefined;
  /** The answer as text. */
  text?: string | null | undefined;
};

/** A condition on: answer to a form. It has options, a value, or both. */
export type AnswerQuery = {
  /** The form. */
  form: string | number;
  /** Options of the form that must all be answered. */
  options?: Array<string | number> | null | undefined;
  /** What must hold for the answer; with options, for the answer under each of them. */
  value?: AnswerCondition | null | undefined;
};

/** A condition on: city of birth. It has exactly one operator. */
export type BirthCityCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; exists?: never; notEquals?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; }
  |  { equals?: never; exists?: never;   /** Does not equal. */
  notEquals: string; };

/** A condition on: country of birth. It has exactly one operator. */
export type BirthCountryCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; exists?: never; notEquals?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; }
  |  { equals?: never; exists?: never;   /** Does not equal. */
  notEquals: string; };

/** A condition on: day of birth. It has exactly one operator. */
export type BirthDateCondition =
  {   /** Is between `from` and `to`, both included. */
  between: DateRange; equals?: never; exists?: never; gte?: never; inPeriod?: never; lte?: never; within?: never; }
  |  { between?: never;   /** Equals; text without regard to case, accents and surrounding space. */
  equals: SearchDate; exists?: never; gte?: never; inPeriod?: never; lte?: never; within?: never; }
  |  { between?: never; equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; gte?: never; inPeriod?: never; lte?: never; within?: never; }
  |  { between?: never; equals?: never; exists?: never;   /** Is at least. */
  gte: SearchDate; inPeriod?: never; lte?: never; within?: never; }
  |  { between?: never; equals?: never; exists?: never; gte?: never;   /** Falls in this part of the year: `MM-DD/MM-DD`, both ends included, wrapping over New Year. */
  inPeriod: MonthDayRange; lte?: never; within?: never; }
  |  { between?: never; equals?: never; exists?: never; gte?: never; inPeriod?: never;   /** Is at most; a date alone includes its whole day. */
  lte: SearchDate; within?: never; }
  |  { between?: never; equals?: never; exists?: never; gte?: never; inPeriod?: never; lte?: never;   /** Falls in this span of time. */
  within: SearchPeriod; };

/** A condition on: department of birth. It has exactly one operator. */
export type BirthDepartmentCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; exists?: never; notEquals?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; }
  |  { equals?: never; exists?: never;   /** Does not equal. */
  notEquals: string; };

/** Conditions on a value. All of them must hold. */
export type BooleanFilter = {
  /** Equals this value. */
  equals?: boolean | null | undefined;
  /** Whether there is a value. */
  exists?: boolean | null | undefined;
};

/** A unit of the calendar, in UTC. */
export type CalendarUnit =
  /** A day. */
  | 'DAY'
  /** A month. */
  | 'MONTH'
  /** A quarter of a year: January to March, and so on. */
  | 'QUARTER'
  /** A week, which begins on Monday. */
  | 'WEEK'
  /** A year. */
  | 'YEAR';

/** Which changes are wanted. */
export type ChangeFilter = {
  /** Only changes of these contacts and of what belongs to them, 1 to 1000. */
  contactIds?: Array<string | number> | null | undefined;
  /** Only updates of at least one of these fields, such as `email` or `tags`. It leaves out no creation, deletion or restoration. */
  fields?: Array<string> | null | undefined;
  /** Only these operations. */
  operations?: Array<ChangeOperation> | null | undefined;
  /** Only changes of records of these types. */
  types?: Array<ChangeType> | null | undefined;
};

/** What became of a record. */
export type ChangeOperation =
  /** It was created. A user was: they joined the space. */
  | 'CREATED'
  /** It was deleted: this is its tombstone. */
  | 'DELETED'
  /** A contact entered the segment, which is watched. */
  | 'ENTERED'
  /** A contact left the segment, which is watched. */
  | 'LEFT'
  /** It is there again after it was deleted. */
  | 'RESTORED'
  /** Some of its fields changed. */
  | 'UPDATED';

/** The types of records whose changes are published. */
export type ChangeType =
  /** Records of the type `Action`. */
  | 'ACTION'
  /** Records of the type `Campaign`. */
  | 'CAMPAIGN'
  /** Records of the type `Contact`. */
  | 'CONTACT'
  /** Records of the type `Donation`. */
  | 'DONATION'
  /** Records of the type `DonationPrice`. */
  | 'DONATION_PRICE'
  /** Records of the type `Email`. */
  | 'EMAIL'
  /** Records of the type `Form`. */
  | 'FORM'
  /** Records of the type `Import`. */
  | 'IMPORT'
  /** Records of the type `Interaction`. */
  | 'INTERACTION'
  /** Records of the type `Invitation`. */
  | 'INVITATION'
  /** Records of the type `Membership`. */
  | 'MEMBERSHIP'
  /** Records of the type `MembershipPrice`. */
  | 'MEMBERSHIP_PRICE'
  /** Records of the type `MembershipPriceGroup`. */
  | 'MEMBERSHIP_PRICE_GROUP'
  /** Records of the type `Note`. */
  | 'NOTE'
  /** Records of the type `Role`. */
  | 'ROLE'
  /** Records of the type `Sanction`. */
  | 'SANCTION'
  /** Records of the type `Segment`. */
  | 'SEGMENT'
  /** Records of the type `Tag`. */
  | 'TAG'
  /** Records of the type `Team`. */
  | 'TEAM'
  /** Records of the type `Template`. */
  | 'TEMPLATE'
  /** Records of the type `Transaction`. */
  | 'TRANSACTION'
  /** Records of the type `TransactionStatus`. */
  | 'TRANSACTION_STATUS'
  /** Records of the type `User`. */
  | 'USER';

/** A condition on: when the present answer to a form on consent was given last, a refusal too: options say which answers count. It has exactly one operator. */
export type ConsentedAtCondition =
  {   /** Is between `from` and `to`, both included. */
  between: DateRange; exists?: never; gte?: never; lte?: never; within?: never; }
  |  { between?: never;   /** True: has a value; false: has no value. */
  exists: boolean; gte?: never; lte?: never; within?: never; }
  |  { between?: never; exists?: never;   /** Is at least. */
  gte: SearchDate; lte?: never; within?: never; }
  |  { between?: never; exists?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: SearchDate; within?: never; }
  |  { between?: never; exists?: never; gte?: never; lte?: never;   /** Falls in this span of time. */
  within: SearchPeriod; };

/** A condition on: when the present answer to a form on consent was given last, a refusal too: options say which answers count. */
export type ConsentedAtQuery = {
  /** The form. */
  form: string | number;
  /** Options of the form that must all be answered. */
  options?: Array<string | number> | null | undefined;
  /** What must hold for the answer; with options, for the answer under each of them. */
  value: ConsentedAtCondition;
};

/** The address of a contact. Parts that are left out stay; null clears. */
export type ContactAddressInput = {
  /** Second line of the address. */
  addition?: string | null | undefined;
  /** Building. */
  building?: string | null | undefined;
  /** City. */
  city?: string | null | undefined;
  /** Official code of the city. */
  cityCode?: string | null | undefined;
  /** Country. */
  country?: string | null | undefined;
  /** County or department. */
  county?: string | null | undefined;
  /** Other directions. */
  details?: string | null | undefined;
  /** Door. */
  door?: string | null | undefined;
  /** Floor. */
  floor?: string | null | undefined;
  /** House number. */
  houseNumber?: string | null | undefined;
  /** Why the address is unusable, such as `npai` or `incomplete`. */
  invalidReason?: string | null | undefined;
  /** Degrees north. */
  latitude?: number | null | undefined;
  /** `latitude,longitude`. */
  location?: string | null | undefined;
  /** Degrees east. */
  longitude?: number | null | undefined;
  /** Polling station. */
  pollingStation?: string | null | undefined;
  /** Postal code. */
  postalCode?: string | null | undefined;
  /** Confidence of the geocoding. */
  score?: number | null | undefined;
  /** State or region. */
  state?: string | null | undefined;
  /** Street. */
  street?: string | null | undefined;
};

/** A contact to create. Null and blank texts mean no value. */
export type ContactCreateInput = {
  /** The user account of this contact, a member of the space. */
  accountId?: string | number | null | undefined;
  /** All actions that the contact is linked to. */
  actionIds?: Array<string | number> | null | undefined;
  /** Their address: parts that are left out stay, null deletes the whole address. */
  address?: ContactAddressInput | null | undefined;
  /** Age category, 0 to 6. */
  ageCategory?: number | null | undefined;
  /** All their answers to forms, except custom fields. */
  answers?: Array<AnswerInput> | null | undefined;
  /** City of birth. */
  birthCity?: string | null | undefined;
  /** Country of birth, by its code. */
  birthCountry?: string | null | undefined;
  /** Day of birth. */
  birthDate?: string | null | undefined;
  /** Department of birth. */
  birthDepartment?: string | null | undefined;
  /** Where their consent or their opt-out comes from, such as `paper form of 12 May`. It is kept with the changes of consent that this record makes. */
  consentSource?: string | null | undefined;
  /** All their custom fields. */
  customFields?: Array<AnswerInput> | null | undefined;
  /** Email address. */
  email?: string | null | undefined;
  /** Id in another system; of one living contact only. */
  externalId?: string | null | undefined;
  /** First name. */
  firstName?: string | null | undefined;
  /** Gender. */
  gender?: Gender | null | undefined;
  /** Family name. */
  lastName?: string | null | undefined;
  /** Name by marriage. */
  marriedName?: string | null | undefined;
  /** Mobile number. */
  mobile?: string | null | undefined;
  /** Whether the mobile number is known to be wrong. */
  mobileInvalid?: boolean | null | undefined;
  /** Nationality, by the code of the country. */
  nationality?: string | null | undefined;
  /** Notes to add. Existing notes stay. */
  notes?: Array<ContactNoteInput> | null | undefined;
  /** Whether they opted out of all communication. Only an update lifts an opt-out; people who opted out and were deleted are created opted out again. */
  optedOut?: boolean | null | undefined;
  /** Landline number. */
  phone?: string | null | undefined;
  /** Whether the landline number is known to be wrong. */
  phoneInvalid?: boolean | null | undefined;
  /** All their tags, at most 200; missing tags are created. */
  tags?: Array<ContactTagInput> | null | undefined;
};

/** The input of `deleteContact`. */
export type ContactDeleteInput = {
  /** Fails with 412 unless the Contact has this version. */
  expectedVersion?: number | null | undefined;
  /** The id of the Contact. */
  id: string | number;
};

/** Conditions on the id of a Contact. All of them must hold. */
export type ContactIdFilter = {
  /** Equals this value. */
  equals?: string | number | null | undefined;
  /** Whether there is a value. */
  exists?: boolean | null | undefined;
  /** Equals one of these values; an empty list matches nothing. */
  in?: Array<string | number> | null | undefined;
};

/** A note to add to a contact, unless it has one with the same content. */
export type ContactNoteInput = {
  /** Its text. */
  content?: string | null | undefined;
  /** Whether it is pinned above the others; it unpins these. */
  pinned?: boolean | null | undefined;
};

/** An order of found contacts. */
export type ContactOrder = {
  /** The direction. */
  direction?: OrderDirection;
  /** The field to order by. */
  field: ContactOrderField;
};

/** Orders of found contacts; ties are broken by id, ascending. Contacts without a value come last. */
export type ContactOrderField =
  /** By the field `birthDate`. */
  | 'BIRTH_DATE'
  /** By the field `city`. */
  | 'CITY'
  /** By the distance from the centre of `address.near`, the nearest first, then by id. If every match is in several circles, the first one counts. */
  | 'DISTANCE'
  /** By the field `email`. */
  | 'EMAIL'
  /** By the field `firstName`. */
  | 'FIRST_NAME'
  /** By the field `gender`. */
  | 'GENDER'
  /** By the field `id`. */
  | 'ID'
  /** By the field `lastChangedAt`. */
  | 'LAST_CHANGED_AT'
  /** By the field `lastName`. */
  | 'LAST_NAME'
  /** By the field `marriedName`. */
  | 'MARRIED_NAME'
  /** By how well they match the text, the best first, then by id. */
  | 'RELEVANCE';

/** A query for contacts: a condition on one attribute, or `and`, `or` and `not` of queries, which nest 8 levels deep. */
export type ContactQuery =
  {   /** Whether the contact is a user. */
  accountId: AccountIdCondition; actionId?: never; actions?: never; address?: never; ageCategory?: never; and?: never; answer?: never; birthCity?: never; birthCountry?: never; birthDate?: never; birthDepartment?: never; consentedAt?: never; createdAt?: never; customField?: never; donations?: never; email?: never; emails?: never; externalId?: never; firstName?: never; gender?: never; id?: never; interactions?: never; lastChangedAt?: never; lastChangedById?: never; lastName?: never; marriedName?: never; memberships?: never; mobile?: never; mobileInvalid?: never; nationality?: never; not?: never; notes?: never; optedOut?: never; optedOutAt?: never; or?: never; phone?: never; phoneInvalid?: never; sanctions?: never; segment?: never; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never;   /** An action that the contact is linked to. */
  actionId: ActionIdCondition; actions?: never; address?: never; ageCategory?: never; and?: never; answer?: never; birthCity?: never; birthCountry?: never; birthDate?: never; birthDepartment?: never; consentedAt?: never; createdAt?: never; customField?: never; donations?: never; email?: never; emails?: never; externalId?: never; firstName?: never; gender?: never; id?: never; interactions?: never; lastChangedAt?: never; lastChangedById?: never; lastName?: never; marriedName?: never; memberships?: never; mobile?: never; mobileInvalid?: never; nationality?: never; not?: never; notes?: never; optedOut?: never; optedOutAt?: never; or?: never; phone?: never; phoneInvalid?: never; sanctions?: never; segment?: never; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never;   /** Name of an action that the contact is linked to. */
  actions: ActionsCondition; address?: never; ageCategory?: never; and?: never; answer?: never; birthCity?: never; birthCountry?: never; birthDate?: never; birthDepartment?: never; consentedAt?: never; createdAt?: never; customField?: never; donations?: never; email?: never; emails?: never; externalId?: never; firstName?: never; gender?: never; id?: never; interactions?: never; lastChangedAt?: never; lastChangedById?: never; lastName?: never; marriedName?: never; memberships?: never; mobile?: never; mobileInvalid?: never; nationality?: never; not?: never; notes?: never; optedOut?: never; optedOutAt?: never; or?: never; phone?: never; phoneInvalid?: never; sanctions?: never; segment?: never; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never;   /** Their address. */
  address: AddressQuery; ageCategory?: never; and?: never; answer?: never; birthCity?: never; birthCountry?: never; birthDate?: never; birthDepartment?: never; consentedAt?: never; createdAt?: never; customField?: never; donations?: never; email?: never; emails?: never; externalId?: never; firstName?: never; gender?: never; id?: never; interactions?: never; lastChangedAt?: never; lastChangedById?: never; lastName?: never; marriedName?: never; memberships?: never; mobile?: never; mobileInvalid?: never; nationality?: never; not?: never; notes?: never; optedOut?: never; optedOutAt?: never; or?: never; phone?: never; phoneInvalid?: never; sanctions?: never; segment?: never; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never; address?: never;   /** Age category, 0 to 6. */
  ageCategory: AgeCategoryCondition; and?: never; answer?: never; birthCity?: never; birthCountry?: never; birthDate?: never; birthDepartment?: never; consentedAt?: never; createdAt?: never; customField?: never; donations?: never; email?: never; emails?: never; externalId?: never; firstName?: never; gender?: never; id?: never; interactions?: never; lastChangedAt?: never; lastChangedById?: never; lastName?: never; marriedName?: never; memberships?: never; mobile?: never; mobileInvalid?: never; nationality?: never; not?: never; notes?: never; optedOut?: never; optedOutAt?: never; or?: never; phone?: never; phoneInvalid?: never; sanctions?: never; segment?: never; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never; address?: never; ageCategory?: never;   /** All of these must hold; none given is everybody. */
  and: Array<ContactQuery>; answer?: never; birthCity?: never; birthCountry?: never; birthDate?: never; birthDepartment?: never; consentedAt?: never; createdAt?: never; customField?: never; donations?: never; email?: never; emails?: never; externalId?: never; firstName?: never; gender?: never; id?: never; interactions?: never; lastChangedAt?: never; lastChangedById?: never; lastName?: never; marriedName?: never; memberships?: never; mobile?: never; mobileInvalid?: never; nationality?: never; not?: never; notes?: never; optedOut?: never; optedOutAt?: never; or?: never; phone?: never; phoneInvalid?: never; sanctions?: never; segment?: never; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never; address?: never; ageCategory?: never; and?: never;   /** Answer to a form. */
  answer: AnswerQuery; birthCity?: never; birthCountry?: never; birthDate?: never; birthDepartment?: never; consentedAt?: never; createdAt?: never; customField?: never; donations?: never; email?: never; emails?: never; externalId?: never; firstName?: never; gender?: never; id?: never; interactions?: never; lastChangedAt?: never; lastChangedById?: never; lastName?: never; marriedName?: never; memberships?: never; mobile?: never; mobileInvalid?: never; nationality?: never; not?: never; notes?: never; optedOut?: never; optedOutAt?: never; or?: never; phone?: never; phoneInvalid?: never; sanctions?: never; segment?: never; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never; address?: never; ageCategory?: never; and?: never; answer?: never;   /** City of birth. */
  birthCity: BirthCityCondition; birthCountry?: never; birthDate?: never; birthDepartment?: never; consentedAt?: never; createdAt?: never; customField?: never; donations?: never; email?: never; emails?: never; externalId?: never; firstName?: never; gender?: never; id?: never; interactions?: never; lastChangedAt?: never; lastChangedById?: never; lastName?: never; marriedName?: never; memberships?: never; mobile?: never; mobileInvalid?: never; nationality?: never; not?: never; notes?: never; optedOut?: never; optedOutAt?: never; or?: never; phone?: never; phoneInvalid?: never; sanctions?: never; segment?: never; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never; address?: never; ageCategory?: never; and?: never; answer?: never; birthCity?: never;   /** Country of birth. */
  birthCountry: BirthCountryCondition; birthDate?: never; birthDepartment?: never; consentedAt?: never; createdAt?: never; customField?: never; donations?: never; email?: never; emails?: never; externalId?: never; firstName?: never; gender?: never; id?: never; interactions?: never; lastChangedAt?: never; lastChangedById?: never; lastName?: never; marriedName?: never; memberships?: never; mobile?: never; mobileInvalid?: never; nationality?: never; not?: never; notes?: never; optedOut?: never; optedOutAt?: never; or?: never; phone?: never; phoneInvalid?: never; sanctions?: never; segment?: never; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never; address?: never; ageCategory?: never; and?: never; answer?: never; birthCity?: never; birthCountry?: never;   /** Day of birth. */
  birthDate: BirthDateCondition; birthDepartment?: never; consentedAt?: never; createdAt?: never; customField?: never; donations?: never; email?: never; emails?: never; externalId?: never; firstName?: never; gender?: never; id?: never; interactions?: never; lastChangedAt?: never; lastChangedById?: never; lastName?: never; marriedName?: never; memberships?: never; mobile?: never; mobileInvalid?: never; nationality?: never; not?: never; notes?: never; optedOut?: never; optedOutAt?: never; or?: never; phone?: never; phoneInvalid?: never; sanctions?: never; segment?: never; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never; address?: never; ageCategory?: never; and?: never; answer?: never; birthCity?: never; birthCountry?: never; birthDate?: never;   /** Department of birth. */
  birthDepartment: BirthDepartmentCondition; consentedAt?: never; createdAt?: never; customField?: never; donations?: never; email?: never; emails?: never; externalId?: never; firstName?: never; gender?: never; id?: never; interactions?: never; lastChangedAt?: never; lastChangedById?: never; lastName?: never; marriedName?: never; memberships?: never; mobile?: never; mobileInvalid?: never; nationality?: never; not?: never; notes?: never; optedOut?: never; optedOutAt?: never; or?: never; phone?: never; phoneInvalid?: never; sanctions?: never; segment?: never; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never; address?: never; ageCategory?: never; and?: never; answer?: never; birthCity?: never; birthCountry?: never; birthDate?: never; birthDepartment?: never;   /** When the present answer to a form on consent was given last, a refusal too: options say which answers count. */
  consentedAt: ConsentedAtQuery; createdAt?: never; customField?: never; donations?: never; email?: never; emails?: never; externalId?: never; firstName?: never; gender?: never; id?: never; interactions?: never; lastChangedAt?: never; lastChangedById?: never; lastName?: never; marriedName?: never; memberships?: never; mobile?: never; mobileInvalid?: never; nationality?: never; not?: never; notes?: never; optedOut?: never; optedOutAt?: never; or?: never; phone?: never; phoneInvalid?: never; sanctions?: never; segment?: never; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never; address?: never; ageCategory?: never; and?: never; answer?: never; birthCity?: never; birthCountry?: never; birthDate?: never; birthDepartment?: never; consentedAt?: never;   /** When the contact was created. */
  createdAt: CreatedAtCondition; customField?: never; donations?: never; email?: never; emails?: never; externalId?: never; firstName?: never; gender?: never; id?: never; interactions?: never; lastChangedAt?: never; lastChangedById?: never; lastName?: never; marriedName?: never; memberships?: never; mobile?: never; mobileInvalid?: never; nationality?: never; not?: never; notes?: never; optedOut?: never; optedOutAt?: never; or?: never; phone?: never; phoneInvalid?: never; sanctions?: never; segment?: never; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never; address?: never; ageCategory?: never; and?: never; answer?: never; birthCity?: never; birthCountry?: never; birthDate?: never; birthDepartment?: never; consentedAt?: never; createdAt?: never;   /** Answer to a custom field. */
  customField: CustomFieldQuery; donations?: never; email?: never; emails?: never; externalId?: never; firstName?: never; gender?: never; id?: never; interactions?: never; lastChangedAt?: never; lastChangedById?: never; lastName?: never; marriedName?: never; memberships?: never; mobile?: never; mobileInvalid?: never; nationality?: never; not?: never; notes?: never; optedOut?: never; optedOutAt?: never; or?: never; phone?: never; phoneInvalid?: never; sanctions?: never; segment?: never; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never; address?: never; ageCategory?: never; and?: never; answer?: never; birthCity?: never; birthCountry?: never; birthDate?: never; birthDepartment?: never; consentedAt?: never; createdAt?: never; customField?: never;   /** Their donations: what is said of a record must hold for at least one. */
  donations: DonationsQuery; email?: never; emails?: never; externalId?: never; firstName?: never; gender?: never; id?: never; interactions?: never; lastChangedAt?: never; lastChangedById?: never; lastName?: never; marriedName?: never; memberships?: never; mobile?: never; mobileInvalid?: never; nationality?: never; not?: never; notes?: never; optedOut?: never; optedOutAt?: never; or?: never; phone?: never; phoneInvalid?: never; sanctions?: never; segment?: never; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never; address?: never; ageCategory?: never; and?: never; answer?: never; birthCity?: never; birthCountry?: never; birthDate?: never; birthDepartment?: never; consentedAt?: never; createdAt?: never; customField?: never; donations?: never;   /** Email address, also a former one. */
  email: EmailCondition; emails?: never; externalId?: never; firstName?: never; gender?: never; id?: never; interactions?: never; lastChangedAt?: never; lastChangedById?: never; lastName?: never; marriedName?: never; memberships?: never; mobile?: never; mobileInvalid?: never; nationality?: never; not?: never; notes?: never; optedOut?: never; optedOutAt?: never; or?: never; phone?: never; phoneInvalid?: never; sanctions?: never; segment?: never; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never; address?: never; ageCategory?: never; and?: never; answer?: never; birthCity?: never; birthCountry?: never; birthDate?: never; birthDepartment?: never; consentedAt?: never; createdAt?: never; customField?: never; donations?: never; email?: never;   /** Their emails: what is said of a record must hold for at least one. */
  emails: EmailsQuery; externalId?: never; firstName?: never; gender?: never; id?: never; interactions?: never; lastChangedAt?: never; lastChangedById?: never; lastName?: never; marriedName?: never; memberships?: never; mobile?: never; mobileInvalid?: never; nationality?: never; not?: never; notes?: never; optedOut?: never; optedOutAt?: never; or?: never; phone?: never; phoneInvalid?: never; sanctions?: never; segment?: never; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never; address?: never; ageCategory?: never; and?: never; answer?: never; birthCity?: never; birthCountry?: never; birthDate?: never; birthDepartment?: never; consentedAt?: never; createdAt?: never; customField?: never; donations?: never; email?: never; emails?: never;   /** Id in another system. */
  externalId: ExternalIdCondition; firstName?: never; gender?: never; id?: never; interactions?: never; lastChangedAt?: never; lastChangedById?: never; lastName?: never; marriedName?: never; memberships?: never; mobile?: never; mobileInvalid?: never; nationality?: never; not?: never; notes?: never; optedOut?: never; optedOutAt?: never; or?: never; phone?: never; phoneInvalid?: never; sanctions?: never; segment?: never; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never; address?: never; ageCategory?: never; and?: never; answer?: never; birthCity?: never; birthCountry?: never; birthDate?: never; birthDepartment?: never; consentedAt?: never; createdAt?: never; customField?: never; donations?: never; email?: never; emails?: never; externalId?: never;   /** First name. */
  firstName: FirstNameCondition; gender?: never; id?: never; interactions?: never; lastChangedAt?: never; lastChangedById?: never; lastName?: never; marriedName?: never; memberships?: never; mobile?: never; mobileInvalid?: never; nationality?: never; not?: never; notes?: never; optedOut?: never; optedOutAt?: never; or?: never; phone?: never; phoneInvalid?: never; sanctions?: never; segment?: never; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never; address?: never; ageCategory?: never; and?: never; answer?: never; birthCity?: never; birthCountry?: never; birthDate?: never; birthDepartment?: never; consentedAt?: never; createdAt?: never; customField?: never; donations?: never; email?: never; emails?: never; externalId?: never; firstName?: never;   /** M, F or O. */
  gender: GenderCondition; id?: never; interactions?: never; lastChangedAt?: never; lastChangedById?: never; lastName?: never; marriedName?: never; memberships?: never; mobile?: never; mobileInvalid?: never; nationality?: never; not?: never; notes?: never; optedOut?: never; optedOutAt?: never; or?: never; phone?: never; phoneInvalid?: never; sanctions?: never; segment?: never; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never; address?: never; ageCategory?: never; and?: never; answer?: never; birthCity?: never; birthCountry?: never; birthDate?: never; birthDepartment?: never; consentedAt?: never; createdAt?: never; customField?: never; donations?: never; email?: never; emails?: never; externalId?: never; firstName?: never; gender?: never;   /** Id of the contact. */
  id: IdCondition; interactions?: never; lastChangedAt?: never; lastChangedById?: never; lastName?: never; marriedName?: never; memberships?: never; mobile?: never; mobileInvalid?: never; nationality?: never; not?: never; notes?: never; optedOut?: never; optedOutAt?: never; or?: never; phone?: never; phoneInvalid?: never; sanctions?: never; segment?: never; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never; address?: never; ageCategory?: never; and?: never; answer?: never; birthCity?: never; birthCountry?: never; birthDate?: never; birthDepartment?: never; consentedAt?: never; createdAt?: never; customField?: never; donations?: never; email?: never; emails?: never; externalId?: never; firstName?: never; gender?: never; id?: never;   /** Their interactions: what is said of a record must hold for at least one. */
  interactions: InteractionsQuery; lastChangedAt?: never; lastChangedById?: never; lastName?: never; marriedName?: never; memberships?: never; mobile?: never; mobileInvalid?: never; nationality?: never; not?: never; notes?: never; optedOut?: never; optedOutAt?: never; or?: never; phone?: never; phoneInvalid?: never; sanctions?: never; segment?: never; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never; address?: never; ageCategory?: never; and?: never; answer?: never; birthCity?: never; birthCountry?: never; birthDate?: never; birthDepartment?: never; consentedAt?: never; createdAt?: never; customField?: never; donations?: never; email?: never; emails?: never; externalId?: never; firstName?: never; gender?: never; id?: never; interactions?: never;   /** When a user last changed the contact. */
  lastChangedAt: LastChangedAtCondition; lastChangedById?: never; lastName?: never; marriedName?: never; memberships?: never; mobile?: never; mobileInvalid?: never; nationality?: never; not?: never; notes?: never; optedOut?: never; optedOutAt?: never; or?: never; phone?: never; phoneInvalid?: never; sanctions?: never; segment?: never; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never; address?: never; ageCategory?: never; and?: never; answer?: never; birthCity?: never; birthCountry?: never; birthDate?: never; birthDepartment?: never; consentedAt?: never; createdAt?: never; customField?: never; donations?: never; email?: never; emails?: never; externalId?: never; firstName?: never; gender?: never; id?: never; interactions?: never; lastChangedAt?: never;   /** The user who last edited. */
  lastChangedById: LastChangedByIdCondition; lastName?: never; marriedName?: never; memberships?: never; mobile?: never; mobileInvalid?: never; nationality?: never; not?: never; notes?: never; optedOut?: never; optedOutAt?: never; or?: never; phone?: never; phoneInvalid?: never; sanctions?: never; segment?: never; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never; address?: never; ageCategory?: never; and?: never; answer?: never; birthCity?: never; birthCountry?: never; birthDate?: never; birthDepartment?: never; consentedAt?: never; createdAt?: never; customField?: never; donations?: never; email?: never; emails?: never; externalId?: never; firstName?: never; gender?: never; id?: never; interactions?: never; lastChangedAt?: never; lastChangedById?: never;   /** Family name. */
  lastName: LastNameCondition; marriedName?: never; memberships?: never; mobile?: never; mobileInvalid?: never; nationality?: never; not?: never; notes?: never; optedOut?: never; optedOutAt?: never; or?: never; phone?: never; phoneInvalid?: never; sanctions?: never; segment?: never; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never; address?: never; ageCategory?: never; and?: never; answer?: never; birthCity?: never; birthCountry?: never; birthDate?: never; birthDepartment?: never; consentedAt?: never; createdAt?: never; customField?: never; donations?: never; email?: never; emails?: never; externalId?: never; firstName?: never; gender?: never; id?: never; interactions?: never; lastChangedAt?: never; lastChangedById?: never; lastName?: never;   /** Name by marriage. */
  marriedName: MarriedNameCondition; memberships?: never; mobile?: never; mobileInvalid?: never; nationality?: never; not?: never; notes?: never; optedOut?: never; optedOutAt?: never; or?: never; phone?: never; phoneInvalid?: never; sanctions?: never; segment?: never; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never; address?: never; ageCategory?: never; and?: never; answer?: never; birthCity?: never; birthCountry?: never; birthDate?: never; birthDepartment?: never; consentedAt?: never; createdAt?: never; customField?: never; donations?: never; email?: never; emails?: never; externalId?: never; firstName?: never; gender?: never; id?: never; interactions?: never; lastChangedAt?: never; lastChangedById?: never; lastName?: never; marriedName?: never;   /** Their memberships: what is said of a record must hold for at least one. */
  memberships: MembershipsQuery; mobile?: never; mobileInvalid?: never; nationality?: never; not?: never; notes?: never; optedOut?: never; optedOutAt?: never; or?: never; phone?: never; phoneInvalid?: never; sanctions?: never; segment?: never; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never; address?: never; ageCategory?: never; and?: never; answer?: never; birthCity?: never; birthCountry?: never; birthDate?: never; birthDepartment?: never; consentedAt?: never; createdAt?: never; customField?: never; donations?: never; email?: never; emails?: never; externalId?: never; firstName?: never; gender?: never; id?: never; interactions?: never; lastChangedAt?: never; lastChangedById?: never; lastName?: never; marriedName?: never; memberships?: never;   /** Mobile number. */
  mobile: MobileCondition; mobileInvalid?: never; nationality?: never; not?: never; notes?: never; optedOut?: never; optedOutAt?: never; or?: never; phone?: never; phoneInvalid?: never; sanctions?: never; segment?: never; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never; address?: never; ageCategory?: never; and?: never; answer?: never; birthCity?: never; birthCountry?: never; birthDate?: never; birthDepartment?: never; consentedAt?: never; createdAt?: never; customField?: never; donations?: never; email?: never; emails?: never; externalId?: never; firstName?: never; gender?: never; id?: never; interactions?: never; lastChangedAt?: never; lastChangedById?: never; lastName?: never; marriedName?: never; memberships?: never; mobile?: never;   /** The mobile number is of no use. */
  mobileInvalid: MobileInvalidCondition; nationality?: never; not?: never; notes?: never; optedOut?: never; optedOutAt?: never; or?: never; phone?: never; phoneInvalid?: never; sanctions?: never; segment?: never; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never; address?: never; ageCategory?: never; and?: never; answer?: never; birthCity?: never; birthCountry?: never; birthDate?: never; birthDepartment?: never; consentedAt?: never; createdAt?: never; customField?: never; donations?: never; email?: never; emails?: never; externalId?: never; firstName?: never; gender?: never; id?: never; interactions?: never; lastChangedAt?: never; lastChangedById?: never; lastName?: never; marriedName?: never; memberships?: never; mobile?: never; mobileInvalid?: never;   /** Nationality. */
  nationality: NationalityCondition; not?: never; notes?: never; optedOut?: never; optedOutAt?: never; or?: never; phone?: never; phoneInvalid?: never; sanctions?: never; segment?: never; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never; address?: never; ageCategory?: never; and?: never; answer?: never; birthCity?: never; birthCountry?: never; birthDate?: never; birthDepartment?: never; consentedAt?: never; createdAt?: never; customField?: never; donations?: never; email?: never; emails?: never; externalId?: never; firstName?: never; gender?: never; id?: never; interactions?: never; lastChangedAt?: never; lastChangedById?: never; lastName?: never; marriedName?: never; memberships?: never; mobile?: never; mobileInvalid?: never; nationality?: never;   /** This must not hold: exactly the contacts that it does not find. */
  not: ContactQuery; notes?: never; optedOut?: never; optedOutAt?: never; or?: never; phone?: never; phoneInvalid?: never; sanctions?: never; segment?: never; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never; address?: never; ageCategory?: never; and?: never; answer?: never; birthCity?: never; birthCountry?: never; birthDate?: never; birthDepartment?: never; consentedAt?: never; createdAt?: never; customField?: never; donations?: never; email?: never; emails?: never; externalId?: never; firstName?: never; gender?: never; id?: never; interactions?: never; lastChangedAt?: never; lastChangedById?: never; lastName?: never; marriedName?: never; memberships?: never; mobile?: never; mobileInvalid?: never; nationality?: never; not?: never;   /** Their notes: what is said of a record must hold for at least one. */
  notes: NotesQuery; optedOut?: never; optedOutAt?: never; or?: never; phone?: never; phoneInvalid?: never; sanctions?: never; segment?: never; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never; address?: never; ageCategory?: never; and?: never; answer?: never; birthCity?: never; birthCountry?: never; birthDate?: never; birthDepartment?: never; consentedAt?: never; createdAt?: never; customField?: never; donations?: never; email?: never; emails?: never; externalId?: never; firstName?: never; gender?: never; id?: never; interactions?: never; lastChangedAt?: never; lastChangedById?: never; lastName?: never; marriedName?: never; memberships?: never; mobile?: never; mobileInvalid?: never; nationality?: never; not?: never; notes?: never;   /** Opted out of all communication. */
  optedOut: OptedOutCondition; optedOutAt?: never; or?: never; phone?: never; phoneInvalid?: never; sanctions?: never; segment?: never; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never; address?: never; ageCategory?: never; and?: never; answer?: never; birthCity?: never; birthCountry?: never; birthDate?: never; birthDepartment?: never; consentedAt?: never; createdAt?: never; customField?: never; donations?: never; email?: never; emails?: never; externalId?: never; firstName?: never; gender?: never; id?: never; interactions?: never; lastChangedAt?: never; lastChangedById?: never; lastName?: never; marriedName?: never; memberships?: never; mobile?: never; mobileInvalid?: never; nationality?: never; not?: never; notes?: never; optedOut?: never;   /** When a contact who is opted out did so last; there is no time for one that the history of consent does not know. */
  optedOutAt: OptedOutAtCondition; or?: never; phone?: never; phoneInvalid?: never; sanctions?: never; segment?: never; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never; address?: never; ageCategory?: never; and?: never; answer?: never; birthCity?: never; birthCountry?: never; birthDate?: never; birthDepartment?: never; consentedAt?: never; createdAt?: never; customField?: never; donations?: never; email?: never; emails?: never; externalId?: never; firstName?: never; gender?: never; id?: never; interactions?: never; lastChangedAt?: never; lastChangedById?: never; lastName?: never; marriedName?: never; memberships?: never; mobile?: never; mobileInvalid?: never; nationality?: never; not?: never; notes?: never; optedOut?: never; optedOutAt?: never;   /** At least one of these must hold; none given is nobody. */
  or: Array<ContactQuery>; phone?: never; phoneInvalid?: never; sanctions?: never; segment?: never; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never; address?: never; ageCategory?: never; and?: never; answer?: never; birthCity?: never; birthCountry?: never; birthDate?: never; birthDepartment?: never; consentedAt?: never; createdAt?: never; customField?: never; donations?: never; email?: never; emails?: never; externalId?: never; firstName?: never; gender?: never; id?: never; interactions?: never; lastChangedAt?: never; lastChangedById?: never; lastName?: never; marriedName?: never; memberships?: never; mobile?: never; mobileInvalid?: never; nationality?: never; not?: never; notes?: never; optedOut?: never; optedOutAt?: never; or?: never;   /** Landline number. */
  phone: PhoneCondition; phoneInvalid?: never; sanctions?: never; segment?: never; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never; address?: never; ageCategory?: never; and?: never; answer?: never; birthCity?: never; birthCountry?: never; birthDate?: never; birthDepartment?: never; consentedAt?: never; createdAt?: never; customField?: never; donations?: never; email?: never; emails?: never; externalId?: never; firstName?: never; gender?: never; id?: never; interactions?: never; lastChangedAt?: never; lastChangedById?: never; lastName?: never; marriedName?: never; memberships?: never; mobile?: never; mobileInvalid?: never; nationality?: never; not?: never; notes?: never; optedOut?: never; optedOutAt?: never; or?: never; phone?: never;   /** The landline number is of no use. */
  phoneInvalid: PhoneInvalidCondition; sanctions?: never; segment?: never; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never; address?: never; ageCategory?: never; and?: never; answer?: never; birthCity?: never; birthCountry?: never; birthDate?: never; birthDepartment?: never; consentedAt?: never; createdAt?: never; customField?: never; donations?: never; email?: never; emails?: never; externalId?: never; firstName?: never; gender?: never; id?: never; interactions?: never; lastChangedAt?: never; lastChangedById?: never; lastName?: never; marriedName?: never; memberships?: never; mobile?: never; mobileInvalid?: never; nationality?: never; not?: never; notes?: never; optedOut?: never; optedOutAt?: never; or?: never; phone?: never; phoneInvalid?: never;   /** Their sanctions: what is said of a record must hold for at least one. */
  sanctions: SanctionsQuery; segment?: never; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never; address?: never; ageCategory?: never; and?: never; answer?: never; birthCity?: never; birthCountry?: never; birthDate?: never; birthDepartment?: never; consentedAt?: never; createdAt?: never; customField?: never; donations?: never; email?: never; emails?: never; externalId?: never; firstName?: never; gender?: never; id?: never; interactions?: never; lastChangedAt?: never; lastChangedById?: never; lastName?: never; marriedName?: never; memberships?: never; mobile?: never; mobileInvalid?: never; nationality?: never; not?: never; notes?: never; optedOut?: never; optedOutAt?: never; or?: never; phone?: never; phoneInvalid?: never; sanctions?: never;   /** Saved segment that the contact is in. */
  segment: SegmentCondition; tags?: never; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never; address?: never; ageCategory?: never; and?: never; answer?: never; birthCity?: never; birthCountry?: never; birthDate?: never; birthDepartment?: never; consentedAt?: never; createdAt?: never; customField?: never; donations?: never; email?: never; emails?: never; externalId?: never; firstName?: never; gender?: never; id?: never; interactions?: never; lastChangedAt?: never; lastChangedById?: never; lastName?: never; marriedName?: never; memberships?: never; mobile?: never; mobileInvalid?: never; nationality?: never; not?: never; notes?: never; optedOut?: never; optedOutAt?: never; or?: never; phone?: never; phoneInvalid?: never; sanctions?: never; segment?: never;   /** Name of a tag. */
  tags: TagsCondition; transactions?: never; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never; address?: never; ageCategory?: never; and?: never; answer?: never; birthCity?: never; birthCountry?: never; birthDate?: never; birthDepartment?: never; consentedAt?: never; createdAt?: never; customField?: never; donations?: never; email?: never; emails?: never; externalId?: never; firstName?: never; gender?: never; id?: never; interactions?: never; lastChangedAt?: never; lastChangedById?: never; lastName?: never; marriedName?: never; memberships?: never; mobile?: never; mobileInvalid?: never; nationality?: never; not?: never; notes?: never; optedOut?: never; optedOutAt?: never; or?: never; phone?: never; phoneInvalid?: never; sanctions?: never; segment?: never; tags?: never;   /** Their transactions: what is said of a record must hold for at least one. */
  transactions: TransactionsQuery; updatedAt?: never; }
  |  { accountId?: never; actionId?: never; actions?: never; address?: never; ageCategory?: never; and?: never; answer?: never; birthCity?: never; birthCountry?: never; birthDate?: never; birthDepartment?: never; consentedAt?: never; createdAt?: never; customField?: never; donations?: never; email?: never; emails?: never; externalId?: never; firstName?: never; gender?: never; id?: never; interactions?: never; lastChangedAt?: never; lastChangedById?: never; lastName?: never; marriedName?: never; memberships?: never; mobile?: never; mobileInvalid?: never; nationality?: never; not?: never; notes?: never; optedOut?: never; optedOutAt?: never; or?: never; phone?: never; phoneInvalid?: never; sanctions?: never; segment?: never; tags?: never; transactions?: never;   /** When the contact was last written. */
  updatedAt: UpdatedAtCondition; };

/** A tag, by its name; created if the space has none of that name. */
export type ContactTagInput = {
  /** Colour of the tag, if it is created. */
  color?: string | null | undefined;
  /** The label. */
  name: string;
};

/** What to change of a contact. Fields that are left out stay, null or a blank text clears, a list replaces the whole list, except for notes. */
export type ContactUpdateInput = {
  /** The user account of this contact, a member of the space. */
  accountId?: string | number | null | undefined;
  /** All actions that the contact is linked to. */
  actionIds?: Array<string | number> | null | undefined;
  /** Their address: parts that are left out stay, null deletes the whole address. */
  address?: ContactAddressInput | null | undefined;
  /** Age category, 0 to 6. */
  ageCategory?: number | null | undefined;
  /** All their answers to forms, except custom fields. */
  answers?: Array<AnswerInput> | null | undefined;
  /** City of birth. */
  birthCity?: string | null | undefined;
  /** Country of birth, by its code. */
  birthCountry?: string | null | undefined;
  /** Day of birth. */
  birthDate?: string | null | undefined;
  /** Department of birth. */
  birthDepartment?: string | null | undefined;
  /** Where their consent or their opt-out comes from, such as `paper form of 12 May`. It is kept with the changes of consent that this record makes. */
  consentSource?: string | null | undefined;
  /** All their custom fields. */
  customFields?: Array<AnswerInput> | null | undefined;
  /** Email address. */
  email?: string | null | undefined;
  /** Fails with 412 unless the contact has this version. */
  expectedVersion?: number | null | undefined;
  /** Id in another system; of one living contact only. */
  externalId?: string | null | undefined;
  /** First name. */
  firstName?: string | null | undefined;
  /** Gender. */
  gender?: Gender | null | undefined;
  /** Id of the contact. */
  id: string | number;
  /** Family name. */
  lastName?: string | null | undefined;
  /** Name by marriage. */
  marriedName?: string | null | undefined;
  /** Mobile number. */
  mobile?: string | null | undefined;
  /** Whether the mobile number is known to be wrong. */
  mobileInvalid?: boolean | null | undefined;
  /** Nationality, by the code of the country. */
  nationality?: string | null | undefined;
  /** Notes to add. Existing notes stay. */
  notes?: Array<ContactNoteInput> | null | undefined;
  /** Whether they opted out of all communication. Only an update lifts an opt-out; people who opted out and were deleted are created opted out again. */
  optedOut?: boolean | null | undefined;
  /** Landline number. */
  phone?: string | null | undefined;
  /** Whether the landline number is known to be wrong. */
  phoneInvalid?: boolean | null | undefined;
  /** All their tags, at most 200; missing tags are created. */
  tags?: Array<ContactTagInput> | null | undefined;
};

/** A person: the contact with this id, else this email, else this name is updated; if there is none, it is created. Blank texts are as if they were not given, in place of a list or an object too; null clears. */
export type ContactUpsertInput = {
  /** The user account of this contact, a member of the space. */
  accountId?: string | number | null | undefined;
  /** Actions to link them to, in addition to the present ones. Null removes all links. */
  actionIds?: Array<string | number> | null | undefined;
  /** Tasks. Only the named forms change; an answer to checkboxes is added. */
  actions?: Array<FormAnswerInput> | null | undefined;
  /** Their address: parts that are left out stay, null deletes the whole address. */
  address?: ContactAddressInput | null | undefined;
  /** Age category, 0 to 6. */
  ageCategory?: number | null | undefined;
  /** Answers to forms, except custom fields. Only the named forms change; an answer to checkboxes is added; null deletes all. */
  answers?: Array<AnswerInput> | null | undefined;
  /** City of birth. */
  birthCity?: string | null | undefined;
  /** Country of birth, by its code. */
  birthCountry?: string | null | undefined;
  /** Day of birth. */
  birthDate?: string | null | undefined;
  /** Department of birth. */
  birthDepartment?: string | null | undefined;
  /** Where their consent or their opt-out comes from, such as `paper form of 12 May`. It is kept with the changes of consent that this record makes. */
  consentSource?: string | null | undefined;
  /** Consents. Only the named forms change; an answer to checkboxes is added. */
  consents?: Array<FormAnswerInput> | null | undefined;
  /** Custom fields. Only the named forms change; an answer to checkboxes is added. */
  customFields?: Array<FormAnswerInput> | null | undefined;
  /** Email address. */
  email?: string | null | undefined;
  /** Id in another system; of one living contact only. */
  externalId?: string | null | undefined;
  /** First name. */
  firstName?: string | null | undefined;
  /** Answers to surveys. Only the named forms change; an answer to checkboxes is added. */
  forms?: Array<FormAnswerInput> | null | undefined;
  /** Gender. */
  gender?: Gender | null | undefined;
  /** Id of the contact, if it is known. */
  id?: string | number | null | undefined;
  /** Family name. */
  lastName?: string | null | undefined;
  /** Name by marriage. */
  marriedName?: string | null | undefined;
  /** Mobile number. */
  mobile?: string | null | undefined;
  /** Whether the mobile number is known to be wrong. */
  mobileInvalid?: boolean | null | undefined;
  /** Presences. Only the named forms change; an answer to checkboxes is added. */
  namePresences?: Array<FormAnswerInput> | null | undefined;
  /** Nationality, by the code of the country. */
  nationality?: string | null | undefined;
  /** Notes to add. Existing notes stay. */
  notes?: Array<ContactNoteInput> | null | undefined;
  /** Whether they opted out of all communication. Only an update lifts an opt-out; people who opted out and were deleted are created opted out again. */
  optedOut?: boolean | null | undefined;
  /** Landline number. */
  phone?: string | null | undefined;
  /** Whether the landline number is known to be wrong. */
  phoneInvalid?: boolean | null | undefined;
  /** Levels of support. Only the named forms change; an answer to checkboxes is added. */
  status?: Array<FormAnswerInput> | null | undefined;
  /** Tags to add to theirs, at most 200 in all; missing tags are created. Null removes all. */
  tags?: Array<ContactTagInput> | null | undefined;
};

/** The input of `tagContacts`. */
export type ContactsTagInput = {
  /** The contacts, 1 to 1000; all of them must exist. */
  contactIds: Array<string | number>;
  /** Names of the tags to add, 1 to 200; a contact has at most 200. */
  tags: Array<string>;
};

/** A point on the earth. */
export type Coordinates = {
  /** Degrees north, -90 to 90. */
  latitude: number;
  /** Degrees east, -180 to 180. */
  longitude: number;
};

/** A condition on: when the contact was created. It has exactly one operator. */
export type CreatedAtCondition =
  {   /** Is between `from` and `to`, both included. */
  between: DateRange; equals?: never; gte?: never; lte?: never; within?: never; }
  |  { between?: never;   /** Equals; text without regard to case, accents and surrounding space. */
  equals: SearchDate; gte?: never; lte?: never; within?: never; }
  |  { between?: never; equals?: never;   /** Is at least. */
  gte: SearchDate; lte?: never; within?: never; }
  |  { between?: never; equals?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: SearchDate; within?: never; }
  |  { between?: never; equals?: never; gte?: never; lte?: never;   /** Falls in this span of time. */
  within: SearchPeriod; };

/** A condition on: answer to a custom field. It has exactly one operator. */
export type CustomFieldCondition =
  {   /** Is between `from` and `to`, both included. */
  between: TextRange; contains?: never; equals?: never; exists?: never; gte?: never; lte?: never; notContains?: never; notEquals?: never; }
  |  { between?: never;   /** Contains the text. */
  contains: string; equals?: never; exists?: never; gte?: never; lte?: never; notContains?: never; notEquals?: never; }
  |  { between?: never; contains?: never;   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; exists?: never; gte?: never; lte?: never; notContains?: never; notEquals?: never; }
  |  { between?: never; contains?: never; equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; gte?: never; lte?: never; notContains?: never; notEquals?: never; }
  |  { between?: never; contains?: never; equals?: never; exists?: never;   /** Is at least. */
  gte: string; lte?: never; notContains?: never; notEquals?: never; }
  |  { between?: never; contains?: never; equals?: never; exists?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: string; notContains?: never; notEquals?: never; }
  |  { between?: never; contains?: never; equals?: never; exists?: never; gte?: never; lte?: never;   /** Does not contain the text. */
  notContains: string; notEquals?: never; }
  |  { between?: never; contains?: never; equals?: never; exists?: never; gte?: never; lte?: never; notContains?: never;   /** Does not equal. */
  notEquals: string; };

/** A condition on: answer to a custom field. It has options, a value, or both. */
export type CustomFieldQuery = {
  /** The form. */
  form: string | number;
  /** Options of the form that must all be answered. */
  options?: Array<string | number> | null | undefined;
  /** What must hold for the answer; with options, for the answer under each of them. */
  value?: CustomFieldCondition | null | undefined;
};

/** A range of dates or instants. */
export type DateRange = {
  /** The beginning; included. */
  from: SearchDate;
  /** The end; included. */
  to: SearchDate;
};

/** Conditions on a value. All of them must hold. */
export type DateTimeFilter = {
  /** Equals this value. */
  equals?: string | null | undefined;
  /** Whether there is a value. */
  exists?: boolean | null | undefined;
  /** Is greater than this value. */
  gt?: string | null | undefined;
  /** Is this value or greater. */
  gte?: string | null | undefined;
  /** Is less than this value. */
  lt?: string | null | undefined;
  /** Is this value or less. */
  lte?: string | null | undefined;
};

/** A range of numbers. */
export type DecimalRange = {
  /** The beginning; included. */
  from: number;
  /** The end; included. */
  to: number;
};

/** A condition on: amount of a donation. It has exactly one operator, beside which a currency may stand. */
export type DonationsAmountCondition = {
  /** Is between `from` and `to`, both included. */
  between?: NumberRange | null | undefined;
  /** The currency of the amounts that count, by its code of ISO 4217; EUR when it is left out. */
  currency?: string | null | undefined;
  /** Equals; text without regard to case, accents and surrounding space. */
  equals?: number | null | undefined;
  /** Is at least. */
  gte?: number | null | undefined;
  /** Is at most; a date alone includes its whole day. */
  lte?: number | null | undefined;
  /** Does not equal. */
  notEquals?: number | null | undefined;
};

/** A condition on: number of donations. It has exactly one operator, beside which `of` may say which of them are counted. */
export type DonationsCountCondition = {
  /** Is between `from` and `to`, both included. */
  between?: NumberRange | null | undefined;
  /** Equals; text without regard to case, accents and surrounding space. */
  equals?: number | null | undefined;
  /** Is at least. */
  gte?: number | null | undefined;
  /** Is at most; a date alone includes its whole day. */
  lte?: number | null | undefined;
  /** Does not equal. */
  notEquals?: number | null | undefined;
  /** What a record must satisfy to be counted. Without it, all donations are. */
  of?: DonationsRecordQuery | null | undefined;
};

/** A condition on: when a donation was recorded. It has exactly one operator. */
export type DonationsCreatedAtCondition =
  {   /** Is between `from` and `to`, both included. */
  between: DateRange; equals?: never; gte?: never; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never;   /** Equals; text without regard to case, accents and surrounding space. */
  equals: SearchDate; gte?: never; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never;   /** Is at least. */
  gte: SearchDate; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: SearchDate; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never; gte?: never; lte?: never;   /** Does not equal. */
  notEquals: SearchDate; within?: never; }
  |  { between?: never; equals?: never; gte?: never; lte?: never; notEquals?: never;   /** Falls in this span of time. */
  within: SearchPeriod; };

/** A condition on: price of a donation. It has exactly one operator. */
export type DonationsDonationPriceIdCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string | number; notEquals?: never; }
  |  { equals?: never;   /** Does not equal. */
  notEquals: string | number; };

/** A condition on: means of payment of a donation. It has exactly one operator. */
export type DonationsPaymentMethodKindCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; notEquals?: never; }
  |  { equals?: never;   /** Does not equal. */
  notEquals: string; };

/** A condition on the donations of a contact. What it says of a record must hold for at least one; `any`, `all`, `none` and `count` are for several conditions on the same record. */
export type DonationsQuery =
  {   /** Every record satisfies the conditions, also where there is no record. */
  all: DonationsRecordQuery; amount?: never; any?: never; count?: never; createdAt?: never; donationPriceId?: never; none?: never; paymentMethodKind?: never; total?: never; transactionDate?: never; updatedAt?: never; }
  |  { all?: never;   /** Amount of a donation, in minor units: 9990 is 99.90 euros. Other currencies count only where `currency` names one. */
  amount: DonationsAmountCondition; any?: never; count?: never; createdAt?: never; donationPriceId?: never; none?: never; paymentMethodKind?: never; total?: never; transactionDate?: never; updatedAt?: never; }
  |  { all?: never; amount?: never;   /** At least one record satisfies the conditions. */
  any: DonationsRecordQuery; count?: never; createdAt?: never; donationPriceId?: never; none?: never; paymentMethodKind?: never; total?: never; transactionDate?: never; updatedAt?: never; }
  |  { all?: never; amount?: never; any?: never;   /** Number of donations. */
  count: DonationsCountCondition; createdAt?: never; donationPriceId?: never; none?: never; paymentMethodKind?: never; total?: never; transactionDate?: never; updatedAt?: never; }
  |  { all?: never; amount?: never; any?: never; count?: never;   /** When a donation was recorded. */
  createdAt: DonationsCreatedAtCondition; donationPriceId?: never; none?: never; paymentMethodKind?: never; total?: never; transactionDate?: never; updatedAt?: never; }
  |  { all?: never; amount?: never; any?: never; count?: never; createdAt?: never;   /** Price of a donation. */
  donationPriceId: DonationsDonationPriceIdCondition; none?: never; paymentMethodKind?: never; total?: never; transactionDate?: never; updatedAt?: never; }
  |  { all?: never; amount?: never; any?: never; count?: never; createdAt?: never; donationPriceId?: never;   /** No record satisfies the conditions. */
  none: DonationsRecordQuery; paymentMethodKind?: never; total?: never; transactionDate?: never; updatedAt?: never; }
  |  { all?: never; amount?: never; any?: never; count?: never; createdAt?: never; donationPriceId?: never; none?: never;   /** Means of payment of a donation. */
  paymentMethodKind: DonationsPaymentMethodKindCondition; total?: never; transactionDate?: never; updatedAt?: never; }
  |  { all?: never; amount?: never; any?: never; count?: never; createdAt?: never; donationPriceId?: never; none?: never; paymentMethodKind?: never;   /** Total of the donations, in minor units: 9990 is 99.90 euros. Other currencies count only where `currency` names one. */
  total: DonationsTotalCondition; transactionDate?: never; updatedAt?: never; }
  |  { all?: never; amount?: never; any?: never; count?: never; createdAt?: never; donationPriceId?: never; none?: never; paymentMethodKind?: never; total?: never;   /** Date of a donation. */
  transactionDate: DonationsTransactionDateCondition; updatedAt?: never; }
  |  { all?: never; amount?: never; any?: never; count?: never; createdAt?: never; donationPriceId?: never; none?: never; paymentMethodKind?: never; total?: never; transactionDate?: never;   /** When a donation was last changed. */
  updatedAt: DonationsUpdatedAtCondition; };

/** What one record of the donations must satisfy: all that is given. Nothing given is satisfied by every record. */
export type DonationsRecordQuery = {
  /** Amount of a donation, in minor units: 9990 is 99.90 euros. Other currencies count only where `currency` names one. */
  amount?: DonationsAmountCondition | null | undefined;
  /** The record must satisfy all of these. */
  and?: Array<DonationsRecordQuery> | null | undefined;
  /** When a donation was recorded. */
  createdAt?: DonationsCreatedAtCondition | null | undefined;
  /** Price of a donation. */
  donationPriceId?: DonationsDonationPriceIdCondition | null | undefined;
  /** The record must not satisfy this. */
  not?: DonationsRecordQuery | null | undefined;
  /** The record must satisfy at least one of these. */
  or?: Array<DonationsRecordQuery> | null | undefined;
  /** Means of payment of a donation. */
  paymentMethodKind?: DonationsPaymentMethodKindCondition | null | undefined;
  /** Date of a donation. */
  transactionDate?: DonationsTransactionDateCondition | null | undefined;
  /** When a donation was last changed. */
  updatedAt?: DonationsUpdatedAtCondition | null | undefined;
};

/** A condition on: total of the donations. It has exactly one operator, beside which a currency may stand. */
export type DonationsTotalCondition = {
  /** Is between `from` and `to`, both included. */
  between?: NumberRange | null | undefined;
  /** The currency of the amounts that count, by its code of ISO 4217; EUR when it is left out. */
  currency?: string | null | undefined;
  /** Equals; text without regard to case, accents and surrounding space. */
  equals?: number | null | undefined;
  /** Is at least. */
  gte?: number | null | undefined;
  /** Is at most; a date alone includes its whole day. */
  lte?: number | null | undefined;
  /** Does not equal. */
  notEquals?: number | null | undefined;
};

/** A condition on: date of a donation. It has exactly one operator. */
export type DonationsTransactionDateCondition =
  {   /** Is between `from` and `to`, both included. */
  between: DateRange; equals?: never; gte?: never; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never;   /** Equals; text without regard to case, accents and surrounding space. */
  equals: SearchDate; gte?: never; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never;   /** Is at least. */
  gte: SearchDate; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: SearchDate; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never; gte?: never; lte?: never;   /** Does not equal. */
  notEquals: SearchDate; within?: never; }
  |  { between?: never; equals?: never; gte?: never; lte?: never; notEquals?: never;   /** Falls in this span of time. */
  within: SearchPeriod; };

/** A condition on: when a donation was last changed. It has exactly one operator. */
export type DonationsUpdatedAtCondition =
  {   /** Is between `from` and `to`, both included. */
  between: DateRange; equals?: never; gte?: never; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never;   /** Equals; text without regard to case, accents and surrounding space. */
  equals: SearchDate; gte?: never; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never;   /** Is at least. */
  gte: SearchDate; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: SearchDate; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never; gte?: never; lte?: never;   /** Does not equal. */
  notEquals: SearchDate; within?: never; }
  |  { between?: never; equals?: never; gte?: never; lte?: never; notEquals?: never;   /** Falls in this span of time. */
  within: SearchPeriod; };

/** A condition on: email address, also a former one. It has exactly one operator. */
export type EmailCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; equalsExactly?: never; exists?: never; notEquals?: never; notEqualsExactly?: never; notStartsWith?: never; startsWith?: never; }
  |  { equals?: never;   /** Equals to the letter. */
  equalsExactly: string; exists?: never; notEquals?: never; notEqualsExactly?: never; notStartsWith?: never; startsWith?: never; }
  |  { equals?: never; equalsExactly?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; notEqualsExactly?: never; notStartsWith?: never; startsWith?: never; }
  |  { equals?: never; equalsExactly?: never; exists?: never;   /** Does not equal. */
  notEquals: string; notEqualsExactly?: never; notStartsWith?: never; startsWith?: never; }
  |  { equals?: never; equalsExactly?: never; exists?: never; notEquals?: never;   /** Does not equal to the letter. */
  notEqualsExactly: string; notStartsWith?: never; startsWith?: never; }
  |  { equals?: never; equalsExactly?: never; exists?: never; notEquals?: never; notEqualsExactly?: never;   /** Does not start with the text. */
  notStartsWith: string; startsWith?: never; }
  |  { equals?: never; equalsExactly?: never; exists?: never; notEquals?: never; notEqualsExactly?: never; notStartsWith?: never;   /** Starts with the text. */
  startsWith: string; };

/** A condition on: when an email was reported as abuse. It has exactly one operator. */
export type EmailsAbuseReportAtCondition =
  {   /** Is between `from` and `to`, both included. */
  between: DateRange; exists?: never; gte?: never; lte?: never; within?: never; }
  |  { between?: never;   /** True: has a value; false: has no value. */
  exists: boolean; gte?: never; lte?: never; within?: never; }
  |  { between?: never; exists?: never;   /** Is at least. */
  gte: SearchDate; lte?: never; within?: never; }
  |  { between?: never; exists?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: SearchDate; within?: never; }
  |  { between?: never; exists?: never; gte?: never; lte?: never;   /** Falls in this span of time. */
  within: SearchPeriod; };

/** A condition on: when an email led to blacklisting. It has exactly one operator. */
export type EmailsBlacklistedAtCondition =
  {   /** Is between `from` and `to`, both included. */
  between: DateRange; exists?: never; gte?: never; lte?: never; within?: never; }
  |  { between?: never;   /** True: has a value; false: has no value. */
  exists: boolean; gte?: never; lte?: never; within?: never; }
  |  { between?: never; exists?: never;   /** Is at least. */
  gte: SearchDate; lte?: never; within?: never; }
  |  { between?: never; exists?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: SearchDate; within?: never; }
  |  { between?: never; exists?: never; gte?: never; lte?: never;   /** Falls in this span of time. */
  within: SearchPeriod; };

/** A condition on: when an email bounced. It has exactly one operator. */
export type EmailsBouncedAtCondition =
  {   /** Is between `from` and `to`, both included. */
  between: DateRange; exists?: never; gte?: never; lte?: never; within?: never; }
  |  { between?: never;   /** True: has a value; false: has no value. */
  exists: boolean; gte?: never; lte?: never; within?: never; }
  |  { between?: never; exists?: never;   /** Is at least. */
  gte: SearchDate; lte?: never; within?: never; }
  |  { between?: never; exists?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: SearchDate; within?: never; }
  |  { between?: never; exists?: never; gte?: never; lte?: never;   /** Falls in this span of time. */
  within: SearchPeriod; };

/** A condition on: goal of the campaign of an email. It has exactly one operator. */
export type EmailsCampaignGoalCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; exists?: never; notEquals?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; }
  |  { equals?: never; exists?: never;   /** Does not equal. */
  notEquals: string; };

/** A condition on: campaign of an email. It has exactly one operator. */
export type EmailsCampaignIdCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string | number; exists?: never; notEquals?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; }
  |  { equals?: never; exists?: never;   /** Does not equal. */
  notEquals: string | number; };

/** A condition on: whether the campaign of an email succeeded. It has exactly one operator. */
export type EmailsCampaignIsSuccessfulCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: boolean; exists?: never; notEquals?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; }
  |  { equals?: never; exists?: never;   /** Does not equal. */
  notEquals: boolean; };

/** A condition on: name of the campaign of an email. It has exactly one operator. */
export type EmailsCampaignNameCondition =
  {   /** Contains the text. */
  contains: string; exists?: never; notContains?: never; notStartsWith?: never; startsWith?: never; }
  |  { contains?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notContains?: never; notStartsWith?: never; startsWith?: never; }
  |  { contains?: never; exists?: never;   /** Does not contain the text. */
  notContains: string; notStartsWith?: never; startsWith?: never; }
  |  { contains?: never; exists?: never; notContains?: never;   /** Does not start with the text. */
  notStartsWith: string; startsWith?: never; }
  |  { contains?: never; exists?: never; notContains?: never; notStartsWith?: never;   /** Starts with the text. */
  startsWith: string; };

/** A condition on: performance of the campaign of an email, 0 to 100. It has exactly one operator. */
export type EmailsCampaignPerformanceRatingCondition =
  {   /** Is between `from` and `to`, both included. */
  between: NumberRange; exists?: never; gte?: never; lte?: never; }
  |  { between?: never;   /** True: has a value; false: has no value. */
  exists: boolean; gte?: never; lte?: never; }
  |  { between?: never; exists?: never;   /** Is at least. */
  gte: number; lte?: never; }
  |  { between?: never; exists?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: number; };

/** A condition on: when a link of an email was clicked. It has exactly one operator. */
export type EmailsClickedAtCondition =
  {   /** Is between `from` and `to`, both included. */
  between: DateRange; exists?: never; gte?: never; lte?: never; within?: never; }
  |  { between?: never;   /** True: has a value; false: has no value. */
  exists: boolean; gte?: never; lte?: never; within?: never; }
  |  { between?: never; exists?: never;   /** Is at least. */
  gte: SearchDate; lte?: never; within?: never; }
  |  { between?: never; exists?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: SearchDate; within?: never; }
  |  { between?: never; exists?: never; gte?: never; lte?: never;   /** Falls in this span of time. */
  within: SearchPeriod; };

/** A condition on: a link of an email that was clicked. It has exactly one operator. */
export type EmailsClickedUrlsCondition =
  {   /** Contains the text. */
  contains: string; equals?: never; exists?: never; notEquals?: never; startsWith?: never; }
  |  { contains?: never;   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; exists?: never; notEquals?: never; startsWith?: never; }
  |  { contains?: never; equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; startsWith?: never; }
  |  { contains?: never; equals?: never; exists?: never;   /** Does not equal. */
  notEquals: string; startsWith?: never; }
  |  { contains?: never; equals?: never; exists?: never; notEquals?: never;   /** Starts with the text. */
  startsWith: string; };

/** A condition on: number of emails. It has exactly one operator, beside which `of` may say which of them are counted. */
export type EmailsCountCondition = {
  /** Is between `from` and `to`, both included. */
  between?: NumberRange | null | undefined;
  /** Equals; text without regard to case, accents and surrounding space. */
  equals?: number | null | undefined;
  /** Is at least. */
  gte?: number | null | undefined;
  /** Is at most; a date alone includes its whole day. */
  lte?: number | null | undefined;
  /** Does not equal. */
  notEquals?: number | null | undefined;
  /** What a record must satisfy to be counted. Without it, all emails are. */
  of?: EmailsRecordQuery | null | undefined;
};

/** A condition on: when an email was made. It has exactly one operator. */
export type EmailsCreatedAtCondition =
  {   /** Is between `from` and `to`, both included. */
  between: DateRange; exists?: never; gte?: never; lte?: never; within?: never; }
  |  { between?: never;   /** True: has a value; false: has no value. */
  exists: boolean; gte?: never; lte?: never; within?: never; }
  |  { between?: never; exists?: never;   /** Is at least. */
  gte: SearchDate; lte?: never; within?: never; }
  |  { between?: never; exists?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: SearchDate; within?: never; }
  |  { between?: never; exists?: never; gte?: never; lte?: never;   /** Falls in this span of time. */
  within: SearchPeriod; };

/** A condition on: when an email was delivered. It has exactly one operator. */
export type EmailsDeliveredAtCondition =
  {   /** Is between `from` and `to`, both included. */
  between: DateRange; exists?: never; gte?: never; lte?: never; within?: never; }
  |  { between?: never;   /** True: has a value; false: has no value. */
  exists: boolean; gte?: never; lte?: never; within?: never; }
  |  { between?: never; exists?: never;   /** Is at least. */
  gte: SearchDate; lte?: never; within?: never; }
  |  { between?: never; exists?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: SearchDate; within?: never; }
  |  { between?: never; exists?: never; gte?: never; lte?: never;   /** Falls in this span of time. */
  within: SearchPeriod; };

/** A condition on: when an email was opened. It has exactly one operator. */
export type EmailsOpenedAtCondition =
  {   /** Is between `from` and `to`, both included. */
  between: DateRange; exists?: never; gte?: never; lte?: never; within?: never; }
  |  { between?: never;   /** True: has a value; false: has no value. */
  exists: boolean; gte?: never; lte?: never; within?: never; }
  |  { between?: never; exists?: never;   /** Is at least. */
  gte: SearchDate; lte?: never; within?: never; }
  |  { between?: never; exists?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: SearchDate; within?: never; }
  |  { between?: never; exists?: never; gte?: never; lte?: never;   /** Falls in this span of time. */
  within: SearchPeriod; };

/** A condition on the emails of a contact. What it says of a record must hold for at least one; `any`, `all`, `none` and `count` are for several conditions on the same record. */
export type EmailsQuery =
  {   /** When an email was reported as abuse. */
  abuseReportAt: EmailsAbuseReportAtCondition; all?: never; any?: never; blacklistedAt?: never; bouncedAt?: never; campaignGoal?: never; campaignId?: never; campaignIsSuccessful?: never; campaignName?: never; campaignPerformanceRating?: never; clickedAt?: never; clickedUrls?: never; count?: never; createdAt?: never; deliveredAt?: never; none?: never; openedAt?: never; sender?: never; sentById?: never; subject?: never; templateId?: never; templateName?: never; type?: never; unsubscribedAt?: never; }
  |  { abuseReportAt?: never;   /** Every record satisfies the conditions, also where there is no record. */
  all: EmailsRecordQuery; any?: never; blacklistedAt?: never; bouncedAt?: never; campaignGoal?: never; campaignId?: never; campaignIsSuccessful?: never; campaignName?: never; campaignPerformanceRating?: never; clickedAt?: never; clickedUrls?: never; count?: never; createdAt?: never; deliveredAt?: never; none?: never; openedAt?: never; sender?: never; sentById?: never; subject?: never; templateId?: never; templateName?: never; type?: never; unsubscribedAt?: never; }
  |  { abuseReportAt?: never; all?: never;   /** At least one record satisfies the conditions. */
  any: EmailsRecordQuery; blacklistedAt?: never; bouncedAt?: never; campaignGoal?: never; campaignId?: never; campaignIsSuccessful?: never; campaignName?: never; campaignPerformanceRating?: never; clickedAt?: never; clickedUrls?: never; count?: never; createdAt?: never; deliveredAt?: never; none?: never; openedAt?: never; sender?: never; sentById?: never; subject?: never; templateId?: never; templateName?: never; type?: never; unsubscribedAt?: never; }
  |  { abuseReportAt?: never; all?: never; any?: never;   /** When an email led to blacklisting. */
  blacklistedAt: EmailsBlacklistedAtCondition; bouncedAt?: never; campaignGoal?: never; campaignId?: never; campaignIsSuccessful?: never; campaignName?: never; campaignPerformanceRating?: never; clickedAt?: never; clickedUrls?: never; count?: never; createdAt?: never; deliveredAt?: never; none?: never; openedAt?: never; sender?: never; sentById?: never; subject?: never; templateId?: never; templateName?: never; type?: never; unsubscribedAt?: never; }
  |  { abuseReportAt?: never; all?: never; any?: never; blacklistedAt?: never;   /** When an email bounced. */
  bouncedAt: EmailsBouncedAtCondition; campaignGoal?: never; campaignId?: never; campaignIsSuccessful?: never; campaignName?: never; campaignPerformanceRating?: never; clickedAt?: never; clickedUrls?: never; count?: never; createdAt?: never; deliveredAt?: never; none?: never; openedAt?: never; sender?: never; sentById?: never; subject?: never; templateId?: never; templateName?: never; type?: never; unsubscribedAt?: never; }
  |  { abuseReportAt?: never; all?: never; any?: never; blacklistedAt?: never; bouncedAt?: never;   /** Goal of the campaign of an email. */
  campaignGoal: EmailsCampaignGoalCondition; campaignId?: never; campaignIsSuccessful?: never; campaignName?: never; campaignPerformanceRating?: never; clickedAt?: never; clickedUrls?: never; count?: never; createdAt?: never; deliveredAt?: never; none?: never; openedAt?: never; sender?: never; sentById?: never; subject?: never; templateId?: never; templateName?: never; type?: never; unsubscribedAt?: never; }
  |  { abuseReportAt?: never; all?: never; any?: never; blacklistedAt?: never; bouncedAt?: never; campaignGoal?: never;   /** Campaign of an email. */
  campaignId: EmailsCampaignIdCondition; campaignIsSuccessful?: never; campaignName?: never; campaignPerformanceRating?: never; clickedAt?: never; clickedUrls?: never; count?: never; createdAt?: never; deliveredAt?: never; none?: never; openedAt?: never; sender?: never; sentById?: never; subject?: never; templateId?: never; templateName?: never; type?: never; unsubscribedAt?: never; }
  |  { abuseReportAt?: never; all?: never; any?: never; blacklistedAt?: never; bouncedAt?: never; campaignGoal?: never; campaignId?: never;   /** Whether the campaign of an email succeeded. */
  campaignIsSuccessful: EmailsCampaignIsSuccessfulCondition; campaignName?: never; campaignPerformanceRating?: never; clickedAt?: never; clickedUrls?: never; count?: never; createdAt?: never; deliveredAt?: never; none?: never; openedAt?: never; sender?: never; sentById?: never; subject?: never; templateId?: never; templateName?: never; type?: never; unsubscribedAt?: never; }
  |  { abuseReportAt?: never; all?: never; any?: never; blacklistedAt?: never; bouncedAt?: never; campaignGoal?: never; campaignId?: never; campaignIsSuccessful?: never;   /** Name of the campaign of an email. */
  campaignName: EmailsCampaignNameCondition; campaignPerformanceRating?: never; clickedAt?: never; clickedUrls?: never; count?: never; createdAt?: never; deliveredAt?: never; none?: never; openedAt?: never; sender?: never; sentById?: never; subject?: never; templateId?: never; templateName?: never; type?: never; unsubscribedAt?: never; }
  |  { abuseReportAt?: never; all?: never; any?: never; blacklistedAt?: never; bouncedAt?: never; campaignGoal?: never; campaignId?: never; campaignIsSuccessful?: never; campaignName?: never;   /** Performance of the campaign of an email, 0 to 100. */
  campaignPerformanceRating: EmailsCampaignPerformanceRatingCondition; clickedAt?: never; clickedUrls?: never; count?: never; createdAt?: never; deliveredAt?: never; none?: never; openedAt?: never; sender?: never; sentById?: never; subject?: never; templateId?: never; templateName?: never; type?: never; unsubscribedAt?: never; }
  |  { abuseReportAt?: never; all?: never; any?: never; blacklistedAt?: never; bouncedAt?: never; campaignGoal?: never; campaignId?: never; campaignIsSuccessful?: never; campaignName?: never; campaignPerformanceRating?: never;   /** When a link of an email was clicked. */
  clickedAt: EmailsClickedAtCondition; clickedUrls?: never; count?: never; createdAt?: never; deliveredAt?: never; none?: never; openedAt?: never; sender?: never; sentById?: never; subject?: never; templateId?: never; templateName?: never; type?: never; unsubscribedAt?: never; }
  |  { abuseReportAt?: never; all?: never; any?: never; blacklistedAt?: never; bouncedAt?: never; campaignGoal?: never; campaignId?: never; campaignIsSuccessful?: never; campaignName?: never; campaignPerformanceRating?: never; clickedAt?: never;   /** A link of an email that was clicked. */
  clickedUrls: EmailsClickedUrlsCondition; count?: never; createdAt?: never; deliveredAt?: never; none?: never; openedAt?: never; sender?: never; sentById?: never; subject?: never; templateId?: never; templateName?: never; type?: never; unsubscribedAt?: never; }
  |  { abuseReportAt?: never; all?: never; any?: never; blacklistedAt?: never; bouncedAt?: never; campaignGoal?: never; campaignId?: never; campaignIsSuccessful?: never; campaignName?: never; campaignPerformanceRating?: never; clickedAt?: never; clickedUrls?: never;   /** Number of emails. */
  count: EmailsCountCondition; createdAt?: never; deliveredAt?: never; none?: never; openedAt?: never; sender?: never; sentById?: never; subject?: never; templateId?: never; templateName?: never; type?: never; unsubscribedAt?: never; }
  |  { abuseReportAt?: never; all?: never; any?: never; blacklistedAt?: never; bouncedAt?: never; campaignGoal?: never; campaignId?: never; campaignIsSuccessful?: never; campaignName?: never; campaignPerformanceRating?: never; clickedAt?: never; clickedUrls?: never; count?: never;   /** When an email was made. */
  createdAt: EmailsCreatedAtCondition; deliveredAt?: never; none?: never; openedAt?: never; sender?: never; sentById?: never; subject?: never; templateId?: never; templateName?: never; type?: never; unsubscribedAt?: never; }
  |  { abuseReportAt?: never; all?: never; any?: never; blacklistedAt?: never; bouncedAt?: never; campaignGoal?: never; campaignId?: never; campaignIsSuccessful?: never; campaignName?: never; campaignPerformanceRating?: never; clickedAt?: never; clickedUrls?: never; count?: never; createdAt?: never;   /** When an email was delivered. */
  deliveredAt: EmailsDeliveredAtCondition; none?: never; openedAt?: never; sender?: never; sentById?: never; subject?: never; templateId?: never; templateName?: never; type?: never; unsubscribedAt?: never; }
  |  { abuseReportAt?: never; all?: never; any?: never; blacklistedAt?: never; bouncedAt?: never; campaignGoal?: never; campaignId?: never; campaignIsSuccessful?: never; campaignName?: never; campaignPerformanceRating?: never; clickedAt?: never; clickedUrls?: never; count?: never; createdAt?: never; deliveredAt?: never;   /** No record satisfies the conditions. */
  none: EmailsRecordQuery; openedAt?: never; sender?: never; sentById?: never; subject?: never; templateId?: never; templateName?: never; type?: never; unsubscribedAt?: never; }
  |  { abuseReportAt?: never; all?: never; any?: never; blacklistedAt?: never; bouncedAt?: never; campaignGoal?: never; campaignId?: never; campaignIsSuccessful?: never; campaignName?: never; campaignPerformanceRating?: never; clickedAt?: never; clickedUrls?: never; count?: never; createdAt?: never; deliveredAt?: never; none?: never;   /** When an email was opened. */
  openedAt: EmailsOpenedAtCondition; sender?: never; sentById?: never; subject?: never; templateId?: never; templateName?: never; type?: never; unsubscribedAt?: never; }
  |  { abuseReportAt?: never; all?: never; any?: never; blacklistedAt?: never; bouncedAt?: never; campaignGoal?: never; campaignId?: never; campaignIsSuccessful?: never; campaignName?: never; campaignPerformanceRating?: never; clickedAt?: never; clickedUrls?: never; count?: never; createdAt?: never; deliveredAt?: never; none?: never; openedAt?: never;   /** Sender of an email. */
  sender: EmailsSenderCondition; sentById?: never; subject?: never; templateId?: never; templateName?: never; type?: never; unsubscribedAt?: never; }
  |  { abuseReportAt?: never; all?: never; any?: never; blacklistedAt?: never; bouncedAt?: never; campaignGoal?: never; campaignId?: never; campaignIsSuccessful?: never; campaignName?: never; campaignPerformanceRating?: never; clickedAt?: never; clickedUrls?: never; count?: never; createdAt?: never; deliveredAt?: never; none?: never; openedAt?: never; sender?: never;   /** User who sent an email. */
  sentById: EmailsSentByIdCondition; subject?: never; templateId?: never; templateName?: never; type?: never; unsubscribedAt?: never; }
  |  { abuseReportAt?: never; all?: never; any?: never; blacklistedAt?: never; bouncedAt?: never; campaignGoal?: never; campaignId?: never; campaignIsSuccessful?: never; campaignName?: never; campaignPerformanceRating?: never; clickedAt?: never; clickedUrls?: never; count?: never; createdAt?: never; deliveredAt?: never; none?: never; openedAt?: never; sender?: never; sentById?: never;   /** Subject of an email. */
  subject: EmailsSubjectCondition; templateId?: never; templateName?: never; type?: never; unsubscribedAt?: never; }
  |  { abuseReportAt?: never; all?: never; any?: never; blacklistedAt?: never; bouncedAt?: never; campaignGoal?: never; campaignId?: never; campaignIsSuccessful?: never; campaignName?: never; campaignPerformanceRating?: never; clickedAt?: never; clickedUrls?: never; count?: never; createdAt?: never; deliveredAt?: never; none?: never; openedAt?: never; sender?: never; sentById?: never; subject?: never;   /** Template of an email. */
  templateId: EmailsTemplateIdCondition; templateName?: never; type?: never; unsubscribedAt?: never; }
  |  { abuseReportAt?: never; all?: never; any?: never; blacklistedAt?: never; bouncedAt?: never; campaignGoal?: never; campaignId?: never; campaignIsSuccessful?: never; campaignName?: never; campaignPerformanceRating?: never; clickedAt?: never; clickedUrls?: never; count?: never; createdAt?: never; deliveredAt?: never; none?: never; openedAt?: never; sender?: never; sentById?: never; subject?: never; templateId?: never;   /** Name of the template of an email. */
  templateName: EmailsTemplateNameCondition; type?: never; unsubscribedAt?: never; }
  |  { abuseReportAt?: never; all?: never; any?: never; blacklistedAt?: never; bouncedAt?: never; campaignGoal?: never; campaignId?: never; campaignIsSuccessful?: never; campaignName?: never; campaignPerformanceRating?: never; clickedAt?: never; clickedUrls?: never; count?: never; createdAt?: never; deliveredAt?: never; none?: never; openedAt?: never; sender?: never; sentById?: never; subject?: never; templateId?: never; templateName?: never;   /** Type of an email. */
  type: EmailsTypeCondition; unsubscribedAt?: never; }
  |  { abuseReportAt?: never; all?: never; any?: never; blacklistedAt?: never; bouncedAt?: never; campaignGoal?: never; campaignId?: never; campaignIsSuccessful?: never; campaignName?: never; campaignPerformanceRating?: never; clickedAt?: never; clickedUrls?: never; count?: never; createdAt?: never; deliveredAt?: never; none?: never; openedAt?: never; sender?: never; sentById?: never; subject?: never; templateId?: never; templateName?: never; type?: never;   /** When the contact unsubscribed by an email. */
  unsubscribedAt: EmailsUnsubscribedAtCondition; };

/** What one record of the emails must satisfy: all that is given. Nothing given is satisfied by every record. */
export type EmailsRecordQuery = {
  /** When an email was reported as abuse. */
  abuseReportAt?: EmailsAbuseReportAtCondition | null | undefined;
  /** The record must satisfy all of these. */
  and?: Array<EmailsRecordQuery> | null | undefined;
  /** When an email led to blacklisting. */
  blacklistedAt?: EmailsBlacklistedAtCondition | null | undefined;
  /** When an email bounced. */
  bouncedAt?: EmailsBouncedAtCondition | null | undefined;
  /** Goal of the campaign of an email. */
  campaignGoal?: EmailsCampaignGoalCondition | null | undefined;
  /** Campaign of an email. */
  campaignId?: EmailsCampaignIdCondition | null | undefined;
  /** Whether the campaign of an email succeeded. */
  campaignIsSuccessful?: EmailsCampaignIsSuccessfulCondition | null | undefined;
  /** Name of the campaign of an email. */
  campaignName?: EmailsCampaignNameCondition | null | undefined;
  /** Performance of the campaign of an email, 0 to 100. */
  campaignPerformanceRating?: EmailsCampaignPerformanceRatingCondition | null | undefined;
  /** When a link of an email was clicked. */
  clickedAt?: EmailsClickedAtCondition | null | undefined;
  /** A link of an email that was clicked. */
  clickedUrls?: EmailsClickedUrlsCondition | null | undefined;
  /** When an email was made. */
  createdAt?: EmailsCreatedAtCondition | null | undefined;
  /** When an email was delivered. */
  deliveredAt?: EmailsDeliveredAtCondition | null | undefined;
  /** The record must not satisfy this. */
  not?: EmailsRecordQuery | null | undefined;
  /** When an email was opened. */
  openedAt?: EmailsOpenedAtCondition | null | undefined;
  /** The record must satisfy at least one of these. */
  or?: Array<EmailsRecordQuery> | null | undefined;
  /** Sender of an email. */
  sender?: EmailsSenderCondition | null | undefined;
  /** User who sent an email. */
  sentById?: EmailsSentByIdCondition | null | undefined;
  /** Subject of an email. */
  subject?: EmailsSubjectCondition | null | undefined;
  /** Template of an email. */
  templateId?: EmailsTemplateIdCondition | null | undefined;
  /** Name of the template of an email. */
  templateName?: EmailsTemplateNameCondition | null | undefined;
  /** Type of an email. */
  type?: EmailsTypeCondition | null | undefined;
  /** When the contact unsubscribed by an email. */
  unsubscribedAt?: EmailsUnsubscribedAtCondition | null | undefined;
};

/** A condition on: sender of an email. It has exactly one operator. */
export type EmailsSenderCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; exists?: never; notEquals?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; }
  |  { equals?: never; exists?: never;   /** Does not equal. */
  notEquals: string; };

/** A condition on: user who sent an email. It has exactly one operator. */
export type EmailsSentByIdCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string | number; exists?: never; notEquals?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; }
  |  { equals?: never; exists?: never;   /** Does not equal. */
  notEquals: string | number; };

/** A condition on: subject of an email. It has exactly one operator. */
export type EmailsSubjectCondition =
  {   /** Contains the text. */
  contains: string; exists?: never; notContains?: never; notStartsWith?: never; startsWith?: never; }
  |  { contains?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notContains?: never; notStartsWith?: never; startsWith?: never; }
  |  { contains?: never; exists?: never;   /** Does not contain the text. */
  notContains: string; notStartsWith?: never; startsWith?: never; }
  |  { contains?: never; exists?: never; notContains?: never;   /** Does not start with the text. */
  notStartsWith: string; startsWith?: never; }
  |  { contains?: never; exists?: never; notContains?: never; notStartsWith?: never;   /** Starts with the text. */
  startsWith: string; };

/** A condition on: template of an email. It has exactly one operator. */
export type EmailsTemplateIdCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string | number; exists?: never; notEquals?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; }
  |  { equals?: never; exists?: never;   /** Does not equal. */
  notEquals: string | number; };

/** A condition on: name of the template of an email. It has exactly one operator. */
export type EmailsTemplateNameCondition =
  {   /** Contains the text. */
  contains: string; exists?: never; notContains?: never; notStartsWith?: never; startsWith?: never; }
  |  { contains?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notContains?: never; notStartsWith?: never; startsWith?: never; }
  |  { contains?: never; exists?: never;   /** Does not contain the text. */
  notContains: string; notStartsWith?: never; startsWith?: never; }
  |  { contains?: never; exists?: never; notContains?: never;   /** Does not start with the text. */
  notStartsWith: string; startsWith?: never; }
  |  { contains?: never; exists?: never; notContains?: never; notStartsWith?: never;   /** Starts with the text. */
  startsWith: string; };

/** A condition on: type of an email. It has exactly one operator. */
export type EmailsTypeCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; exists?: never; notEquals?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; }
  |  { equals?: never; exists?: never;   /** Does not equal. */
  notEquals: string; };

/** A condition on: when the contact unsubscribed by an email. It has exactly one operator. */
export type EmailsUnsubscribedAtCondition =
  {   /** Is between `from` and `to`, both included. */
  between: DateRange; exists?: never; gte?: never; lte?: never; within?: never; }
  |  { between?: never;   /** True: has a value; false: has no value. */
  exists: boolean; gte?: never; lte?: never; within?: never; }
  |  { between?: never; exists?: never;   /** Is at least. */
  gte: SearchDate; lte?: never; within?: never; }
  |  { between?: never; exists?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: SearchDate; within?: never; }
  |  { between?: never; exists?: never; gte?: never; lte?: never;   /** Falls in this span of time. */
  within: SearchPeriod; };

/** A condition on: id in another system. It has exactly one operator. */
export type ExternalIdCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; exists?: never; in?: never; notEquals?: never; notIn?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; in?: never; notEquals?: never; notIn?: never; }
  |  { equals?: never; exists?: never;   /** Is one of the list, or has one of it. */
  in: Array<string>; notEquals?: never; notIn?: never; }
  |  { equals?: never; exists?: never; in?: never;   /** Does not equal. */
  notEquals: string; notIn?: never; }
  |  { equals?: never; exists?: never; in?: never; notEquals?: never;   /** Is none of the list, or has none of it. */
  notIn: Array<string>; };

/** A condition on: first name. It has exactly one operator. */
export type FirstNameCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; exists?: never; notEquals?: never; notStartsWith?: never; startsWith?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; notStartsWith?: never; startsWith?: never; }
  |  { equals?: never; exists?: never;   /** Does not equal. */
  notEquals: string; notStartsWith?: never; startsWith?: never; }
  |  { equals?: never; exists?: never; notEquals?: never;   /** Does not start with the text. */
  notStartsWith: string; startsWith?: never; }
  |  { equals?: never; exists?: never; notEquals?: never; notStartsWith?: never;   /** Starts with the text. */
  startsWith: string; };

/** An answer to a form, which is named by its id or its label; or, with formId, an answer like AnswerInput. */
export type FormAnswerInput = {
  /** When it was answered. */
  answeredAt?: string | null | undefined;
  /** The form, for an answer sent back as it was read. */
  formId?: string | number | null | undefined;
  /** The form. */
  id?: string | number | null | undefined;
  /** The form, by its label, if its id is not given. */
  label?: string | null | undefined;
  /** The option, for an answer sent back as it was read. */
  optionId?: string | number | null | undefined;
  /** The text, for an answer sent back as it was read. */
  text?: string | null | undefined;
  /** For choices a value of the form, or its label; for consents also a yes or no of another language; a number or a date for such forms; else any text. Null deletes the answer, a blank text is as if it was not given. */
  value?: string | null | undefined;
};

/** Gender of a contact. */
export type Gender =
  /** Female. */
  | 'F'
  /** Male. */
  | 'M'
  /** Other. */
  | 'O';

/** A condition on: M, F or O. It has exactly one operator. */
export type GenderCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: Gender; exists?: never; notEquals?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; }
  |  { equals?: never; exists?: never;   /** Does not equal. */
  notEquals: Gender; };

/** A condition on: id of the contact. It has exactly one operator. */
export type IdCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string | number; in?: never; notEquals?: never; notIn?: never; }
  |  { equals?: never;   /** Is one of the list, or has one of it. */
  in: Array<string | number>; notEquals?: never; notIn?: never; }
  |  { equals?: never; in?: never;   /** Does not equal. */
  notEquals: string | number; notIn?: never; }
  |  { equals?: never; in?: never; notEquals?: never;   /** Is none of the list, or has none of it. */
  notIn: Array<string | number>; };

/** A condition on: the user who recorded an interaction. It has exactly one operator. */
export type InteractionsAuthorIdCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string | number; exists?: never; notEquals?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; }
  |  { equals?: never; exists?: never;   /** Does not equal. */
  notEquals: string | number; };

/** A condition on: comments on an interaction. It has exactly one operator. */
export type InteractionsCommentsCondition =
  {   /** Contains the text. */
  contains: string; exists?: never; notContains?: never; notStartsWith?: never; startsWith?: never; }
  |  { contains?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notContains?: never; notStartsWith?: never; startsWith?: never; }
  |  { contains?: never; exists?: never;   /** Does not contain the text. */
  notContains: string; notStartsWith?: never; startsWith?: never; }
  |  { contains?: never; exists?: never; notContains?: never;   /** Does not start with the text. */
  notStartsWith: string; startsWith?: never; }
  |  { contains?: never; exists?: never; notContains?: never; notStartsWith?: never;   /** Starts with the text. */
  startsWith: string; };

/** A condition on: number of interactions. It has exactly one operator, beside which `of` may say which of them are counted. */
export type InteractionsCountCondition = {
  /** Is between `from` and `to`, both included. */
  between?: NumberRange | null | undefined;
  /** Equals; text without regard to case, accents and surrounding space. */
  equals?: number | null | undefined;
  /** Is at least. */
  gte?: number | null | undefined;
  /** Is at most; a date alone includes its whole day. */
  lte?: number | null | undefined;
  /** Does not equal. */
  notEquals?: number | null | undefined;
  /** What a record must satisfy to be counted. Without it, all interactions are. */
  of?: InteractionsRecordQuery | null | undefined;
};

/** A condition on: when an interaction was recorded. It has exactly one operator. */
export type InteractionsCreatedAtCondition =
  {   /** Is between `from` and `to`, both included. */
  between: DateRange; equals?: never; gte?: never; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never;   /** Equals; text without regard to case, accents and surrounding space. */
  equals: SearchDate; gte?: never; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never;   /** Is at least. */
  gte: SearchDate; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: SearchDate; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never; gte?: never; lte?: never;   /** Does not equal. */
  notEquals: SearchDate; within?: never; }
  |  { between?: never; equals?: never; gte?: never; lte?: never; notEquals?: never;   /** Falls in this span of time. */
  within: SearchPeriod; };

/** A condition on the interactions of a contact. What it says of a record must hold for at least one; `any`, `all`, `none` and `count` are for several conditions on the same record. */
export type InteractionsQuery =
  {   /** Every record satisfies the conditions, also where there is no record. */
  all: InteractionsRecordQuery; any?: never; authorId?: never; comments?: never; count?: never; createdAt?: never; none?: never; subType?: never; title?: never; type?: never; updatedAt?: never; }
  |  { all?: never;   /** At least one record satisfies the conditions. */
  any: InteractionsRecordQuery; authorId?: never; comments?: never; count?: never; createdAt?: never; none?: never; subType?: never; title?: never; type?: never; updatedAt?: never; }
  |  { all?: never; any?: never;   /** The user who recorded an interaction. */
  authorId: InteractionsAuthorIdCondition; comments?: never; count?: never; createdAt?: never; none?: never; subType?: never; title?: never; type?: never; updatedAt?: never; }
  |  { all?: never; any?: never; authorId?: never;   /** Comments on an interaction. */
  comments: InteractionsCommentsCondition; count?: never; createdAt?: never; none?: never; subType?: never; title?: never; type?: never; updatedAt?: never; }
  |  { all?: never; any?: never; authorId?: never; comments?: never;   /** Number of interactions. */
  count: InteractionsCountCondition; createdAt?: never; none?: never; subType?: never; title?: never; type?: never; updatedAt?: never; }
  |  { all?: never; any?: never; authorId?: never; comments?: never; count?: never;   /** When an interaction was recorded. */
  createdAt: InteractionsCreatedAtCondition; none?: never; subType?: never; title?: never; type?: never; updatedAt?: never; }
  |  { all?: never; any?: never; authorId?: never; comments?: never; count?: never; createdAt?: never;   /** No record satisfies the conditions. */
  none: InteractionsRecordQuery; subType?: never; title?: never; type?: never; updatedAt?: never; }
  |  { all?: never; any?: never; authorId?: never; comments?: never; count?: never; createdAt?: never; none?: never;   /** Kind of an interaction within its type. */
  subType: InteractionsSubTypeCondition; title?: never; type?: never; updatedAt?: never; }
  |  { all?: never; any?: never; authorId?: never; comments?: never; count?: never; createdAt?: never; none?: never; subType?: never;   /** Title of an interaction. */
  title: InteractionsTitleCondition; type?: never; updatedAt?: never; }
  |  { all?: never; any?: never; authorId?: never; comments?: never; count?: never; createdAt?: never; none?: never; subType?: never; title?: never;   /** Type of an interaction. */
  type: InteractionsTypeCondition; updatedAt?: never; }
  |  { all?: never; any?: never; authorId?: never; comments?: never; count?: never; createdAt?: never; none?: never; subType?: never; title?: never; type?: never;   /** When an interaction was last changed. */
  updatedAt: InteractionsUpdatedAtCondition; };

/** What one record of the interactions must satisfy: all that is given. Nothing given is satisfied by every record. */
export type InteractionsRecordQuery = {
  /** The record must satisfy all of these. */
  and?: Array<InteractionsRecordQuery> | null | undefined;
  /** The user who recorded an interaction. */
  authorId?: InteractionsAuthorIdCondition | null | undefined;
  /** Comments on an interaction. */
  comments?: InteractionsCommentsCondition | null | undefined;
  /** When an interaction was recorded. */
  createdAt?: InteractionsCreatedAtCondition | null | undefined;
  /** The record must not satisfy this. */
  not?: InteractionsRecordQuery | null | undefined;
  /** The record must satisfy at least one of these. */
  or?: Array<InteractionsRecordQuery> | null | undefined;
  /** Kind of an interaction within its type. */
  subType?: InteractionsSubTypeCondition | null | undefined;
  /** Title of an interaction. */
  title?: InteractionsTitleCondition | null | undefined;
  /** Type of an interaction. */
  type?: InteractionsTypeCondition | null | undefined;
  /** When an interaction was last changed. */
  updatedAt?: InteractionsUpdatedAtCondition | null | undefined;
};

/** A condition on: kind of an interaction within its type. It has exactly one operator. */
export type InteractionsSubTypeCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; exists?: never; notEquals?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; }
  |  { equals?: never; exists?: never;   /** Does not equal. */
  notEquals: string; };

/** A condition on: title of an interaction. It has exactly one operator. */
export type InteractionsTitleCondition =
  {   /** Contains the text. */
  contains: string; exists?: never; notContains?: never; notStartsWith?: never; startsWith?: never; }
  |  { contains?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notContains?: never; notStartsWith?: never; startsWith?: never; }
  |  { contains?: never; exists?: never;   /** Does not contain the text. */
  notContains: string; notStartsWith?: never; startsWith?: never; }
  |  { contains?: never; exists?: never; notContains?: never;   /** Does not start with the text. */
  notStartsWith: string; startsWith?: never; }
  |  { contains?: never; exists?: never; notContains?: never; notStartsWith?: never;   /** Starts with the text. */
  startsWith: string; };

/** A condition on: type of an interaction. It has exactly one operator. */
export type InteractionsTypeCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; notEquals?: never; }
  |  { equals?: never;   /** Does not equal. */
  notEquals: string; };

/** A condition on: when an interaction was last changed. It has exactly one operator. */
export type InteractionsUpdatedAtCondition =
  {   /** Is between `from` and `to`, both included. */
  between: DateRange; equals?: never; gte?: never; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never;   /** Equals; text without regard to case, accents and surrounding space. */
  equals: SearchDate; gte?: never; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never;   /** Is at least. */
  gte: SearchDate; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: SearchDate; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never; gte?: never; lte?: never;   /** Does not equal. */
  notEquals: SearchDate; within?: never; }
  |  { between?: never; equals?: never; gte?: never; lte?: never; notEquals?: never;   /** Falls in this span of time. */
  within: SearchPeriod; };

/** A condition on: when a user last changed the contact. It has exactly one operator. */
export type LastChangedAtCondition =
  {   /** Is between `from` and `to`, both included. */
  between: DateRange; equals?: never; exists?: never; gte?: never; lte?: never; within?: never; }
  |  { between?: never;   /** Equals; text without regard to case, accents and surrounding space. */
  equals: SearchDate; exists?: never; gte?: never; lte?: never; within?: never; }
  |  { between?: never; equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; gte?: never; lte?: never; within?: never; }
  |  { between?: never; equals?: never; exists?: never;   /** Is at least. */
  gte: SearchDate; lte?: never; within?: never; }
  |  { between?: never; equals?: never; exists?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: SearchDate; within?: never; }
  |  { between?: never; equals?: never; exists?: never; gte?: never; lte?: never;   /** Falls in this span of time. */
  within: SearchPeriod; };

/** A condition on: the user who last edited. It has exactly one operator. */
export type LastChangedByIdCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string | number; exists?: never; notEquals?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; }
  |  { equals?: never; exists?: never;   /** Does not equal. */
  notEquals: string | number; };

/** A condition on: family name. It has exactly one operator. */
export type LastNameCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; exists?: never; notEquals?: never; notStartsWith?: never; startsWith?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; notStartsWith?: never; startsWith?: never; }
  |  { equals?: never; exists?: never;   /** Does not equal. */
  notEquals: string; notStartsWith?: never; startsWith?: never; }
  |  { equals?: never; exists?: never; notEquals?: never;   /** Does not start with the text. */
  notStartsWith: string; startsWith?: never; }
  |  { equals?: never; exists?: never; notEquals?: never; notStartsWith?: never;   /** Starts with the text. */
  startsWith: string; };

/** A condition on: name by marriage. It has exactly one operator. */
export type MarriedNameCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; exists?: never; notEquals?: never; notStartsWith?: never; startsWith?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; notStartsWith?: never; startsWith?: never; }
  |  { equals?: never; exists?: never;   /** Does not equal. */
  notEquals: string; notStartsWith?: never; startsWith?: never; }
  |  { equals?: never; exists?: never; notEquals?: never;   /** Does not start with the text. */
  notStartsWith: string; startsWith?: never; }
  |  { equals?: never; exists?: never; notEquals?: never; notStartsWith?: never;   /** Starts with the text. */
  startsWith: string; };

/** A condition on: amount of a membership. It has exactly one operator, beside which a currency may stand. */
export type MembershipsAmountCondition = {
  /** Is between `from` and `to`, both included. */
  between?: NumberRange | null | undefined;
  /** The currency of the amounts that count, by its code of ISO 4217; EUR when it is left out. */
  currency?: string | null | undefined;
  /** Equals; text without regard to case, accents and surrounding space. */
  equals?: number | null | undefined;
  /** Is at least. */
  gte?: number | null | undefined;
  /** Is at most; a date alone includes its whole day. */
  lte?: number | null | undefined;
  /** Does not equal. */
  notEquals?: number | null | undefined;
};

/** A condition on: number of memberships. It has exactly one operator, beside which `of` may say which of them are counted. */
export type MembershipsCountCondition = {
  /** Is between `from` and `to`, both included. */
  between?: NumberRange | null | undefined;
  /** Equals; text without regard to case, accents and surrounding space. */
  equals?: number | null | undefined;
  /** Is at least. */
  gte?: number | null | undefined;
  /** Is at most; a date alone includes its whole day. */
  lte?: number | null | undefined;
  /** Does not equal. */
  notEquals?: number | null | undefined;
  /** What a record must satisfy to be counted. Without it, all memberships are. */
  of?: MembershipsRecordQuery | null | undefined;
};

/** A condition on: when a membership was recorded. It has exactly one operator. */
export type MembershipsCreatedAtCondition =
  {   /** Is between `from` and `to`, both included. */
  between: DateRange; equals?: never; gte?: never; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never;   /** Equals; text without regard to case, accents and surrounding space. */
  equals: SearchDate; gte?: never; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never;   /** Is at least. */
  gte: SearchDate; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: SearchDate; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never; gte?: never; lte?: never;   /** Does not equal. */
  notEquals: SearchDate; within?: never; }
  |  { between?: never; equals?: never; gte?: never; lte?: never; notEquals?: never;   /** Falls in this span of time. */
  within: SearchPeriod; };

/** A condition on: last day of a membership. It has exactly one operator. */
export type MembershipsEndDateCondition =
  {   /** Is between `from` and `to`, both included. */
  between: DateRange; equals?: never; gte?: never; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never;   /** Equals; text without regard to case, accents and surrounding space. */
  equals: SearchDate; gte?: never; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never;   /** Is at least. */
  gte: SearchDate; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: SearchDate; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never; gte?: never; lte?: never;   /** Does not equal. */
  notEquals: SearchDate; within?: never; }
  |  { between?: never; equals?: never; gte?: never; lte?: never; notEquals?: never;   /** Falls in this span of time. */
  within: SearchPeriod; };

/** A condition on: price of a membership. It has exactly one operator. */
export type MembershipsMembershipPriceIdCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string | number; notEquals?: never; }
  |  { equals?: never;   /** Does not equal. */
  notEquals: string | number; };

/** A condition on the memberships of a contact. What it says of a record must hold for at least one; `any`, `all`, `none` and `count` are for several conditions on the same record. */
export type MembershipsQuery =
  {   /** Every record satisfies the conditions, also where there is no record. */
  all: MembershipsRecordQuery; amount?: never; any?: never; count?: never; createdAt?: never; endDate?: never; membershipPriceId?: never; none?: never; severalInYear?: never; startDate?: never; transactionDate?: never; updatedAt?: never; year?: never; }
  |  { all?: never;   /** Amount of a membership, in minor units: 9990 is 99.90 euros. Other currencies count only where `currency` names one. */
  amount: MembershipsAmountCondition; any?: never; count?: never; createdAt?: never; endDate?: never; membershipPriceId?: never; none?: never; severalInYear?: never; startDate?: never; transactionDate?: never; updatedAt?: never; year?: never; }
  |  { all?: never; amount?: never;   /** At least one record satisfies the conditions. */
  any: MembershipsRecordQuery; count?: never; createdAt?: never; endDate?: never; membershipPriceId?: never; none?: never; severalInYear?: never; startDate?: never; transactionDate?: never; updatedAt?: never; year?: never; }
  |  { all?: never; amount?: never; any?: never;   /** Number of memberships. */
  count: MembershipsCountCondition; createdAt?: never; endDate?: never; membershipPriceId?: never; none?: never; severalInYear?: never; startDate?: never; transactionDate?: never; updatedAt?: never; year?: never; }
  |  { all?: never; amount?: never; any?: never; count?: never;   /** When a membership was recorded. */
  createdAt: MembershipsCreatedAtCondition; endDate?: never; membershipPriceId?: never; none?: never; severalInYear?: never; startDate?: never; transactionDate?: never; updatedAt?: never; year?: never; }
  |  { all?: never; amount?: never; any?: never; count?: never; createdAt?: never;   /** Last day of a membership. */
  endDate: MembershipsEndDateCondition; membershipPriceId?: never; none?: never; severalInYear?: never; startDate?: never; transactionDate?: never; updatedAt?: never; year?: never; }
  |  { all?: never; amount?: never; any?: never; count?: never; createdAt?: never; endDate?: never;   /** Price of a membership. */
  membershipPriceId: MembershipsMembershipPriceIdCondition; none?: never; severalInYear?: never; startDate?: never; transactionDate?: never; updatedAt?: never; year?: never; }
  |  { all?: never; amount?: never; any?: never; count?: never; createdAt?: never; endDate?: never; membershipPriceId?: never;   /** No record satisfies the conditions. */
  none: MembershipsRecordQuery; severalInYear?: never; startDate?: never; transactionDate?: never; updatedAt?: never; year?: never; }
  |  { all?: never; amount?: never; any?: never; count?: never; createdAt?: never; endDate?: never; membershipPriceId?: never; none?: never;   /** Calendar year in which two or more memberships are active. */
  severalInYear: MembershipsSeveralInYearCondition; startDate?: never; transactionDate?: never; updatedAt?: never; year?: never; }
  |  { all?: never; amount?: never; any?: never; count?: never; createdAt?: never; endDate?: never; membershipPriceId?: never; none?: never; severalInYear?: never;   /** First day of a membership. */
  startDate: MembershipsStartDateCondition; transactionDate?: never; updatedAt?: never; year?: never; }
  |  { all?: never; amount?: never; any?: never; count?: never; createdAt?: never; endDate?: never; membershipPriceId?: never; none?: never; severalInYear?: never; startDate?: never;   /** When a membership was paid. */
  transactionDate: MembershipsTransactionDateCondition; updatedAt?: never; year?: never; }
  |  { all?: never; amount?: never; any?: never; count?: never; createdAt?: never; endDate?: never; membershipPriceId?: never; none?: never; severalInYear?: never; startDate?: never; transactionDate?: never;   /** When a membership was last changed. */
  updatedAt: MembershipsUpdatedAtCondition; year?: never; }
  |  { all?: never; amount?: never; any?: never; count?: never; createdAt?: never; endDate?: never; membershipPriceId?: never; none?: never; severalInYear?: never; startDate?: never; transactionDate?: never; updatedAt?: never;   /** Calendar year in which a membership is active. */
  year: MembershipsYearCondition; };

/** What one record of the memberships must satisfy: all that is given. Nothing given is satisfied by every record. */
export type MembershipsRecordQuery = {
  /** Amount of a membership, in minor units: 9990 is 99.90 euros. Other currencies count only where `currency` names one. */
  amount?: MembershipsAmountCondition | null | undefined;
  /** The record must satisfy all of these. */
  and?: Array<MembershipsRecordQuery> | null | undefined;
  /** When a membership was recorded. */
  createdAt?: MembershipsCreatedAtCondition | null | undefined;
  /** Last day of a membership. */
  endDate?: MembershipsEndDateCondition | null | undefined;
  /** Price of a membership. */
  membershipPriceId?: MembershipsMembershipPriceIdCondition | null | undefined;
  /** The record must not satisfy this. */
  not?: MembershipsRecordQuery | null | undefined;
  /** The record must satisfy at least one of these. */
  or?: Array<MembershipsRecordQuery> | null | undefined;
  /** First day of a membership. */
  startDate?: MembershipsStartDateCondition | null | undefined;
  /** When a membership was paid. */
  transactionDate?: MembershipsTransactionDateCondition | null | undefined;
  /** When a membership was last changed. */
  updatedAt?: MembershipsUpdatedAtCondition | null | undefined;
  /** Calendar year in which a membership is active. */
  year?: MembershipsYearCondition | null | undefined;
};

/** A condition on: calendar year in which two or more memberships are active. It has exactly one operator. */
export type MembershipsSeveralInYearCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: number; };

/** A condition on: first day of a membership. It has exactly one operator. */
export type MembershipsStartDateCondition =
  {   /** Is between `from` and `to`, both included. */
  between: DateRange; equals?: never; gte?: never; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never;   /** Equals; text without regard to case, accents and surrounding space. */
  equals: SearchDate; gte?: never; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never;   /** Is at least. */
  gte: SearchDate; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: SearchDate; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never; gte?: never; lte?: never;   /** Does not equal. */
  notEquals: SearchDate; within?: never; }
  |  { between?: never; equals?: never; gte?: never; lte?: never; notEquals?: never;   /** Falls in this span of time. */
  within: SearchPeriod; };

/** A condition on: when a membership was paid. It has exactly one operator. */
export type MembershipsTransactionDateCondition =
  {   /** Is between `from` and `to`, both included. */
  between: DateRange; equals?: never; gte?: never; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never;   /** Equals; text without regard to case, accents and surrounding space. */
  equals: SearchDate; gte?: never; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never;   /** Is at least. */
  gte: SearchDate; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: SearchDate; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never; gte?: never; lte?: never;   /** Does not equal. */
  notEquals: SearchDate; within?: never; }
  |  { between?: never; equals?: never; gte?: never; lte?: never; notEquals?: never;   /** Falls in this span of time. */
  within: SearchPeriod; };

/** A condition on: when a membership was last changed. It has exactly one operator. */
export type MembershipsUpdatedAtCondition =
  {   /** Is between `from` and `to`, both included. */
  between: DateRange; equals?: never; gte?: never; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never;   /** Equals; text without regard to case, accents and surrounding space. */
  equals: SearchDate; gte?: never; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never;   /** Is at least. */
  gte: SearchDate; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: SearchDate; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never; gte?: never; lte?: never;   /** Does not equal. */
  notEquals: SearchDate; within?: never; }
  |  { between?: never; equals?: never; gte?: never; lte?: never; notEquals?: never;   /** Falls in this span of time. */
  within: SearchPeriod; };

/** A condition on: calendar year in which a membership is active. It has exactly one operator. */
export type MembershipsYearCondition =
  {   /** Is between `from` and `to`, both included. */
  between: YearRange; equals?: never; gte?: never; lte?: never; notEquals?: never; }
  |  { between?: never;   /** Equals; text without regard to case, accents and surrounding space. */
  equals: number; gte?: never; lte?: never; notEquals?: never; }
  |  { between?: never; equals?: never;   /** Is at least. */
  gte: number; lte?: never; notEquals?: never; }
  |  { between?: never; equals?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: number; notEquals?: never; }
  |  { between?: never; equals?: never; gte?: never; lte?: never;   /** Does not equal. */
  notEquals: number; };

/** A condition on: mobile number. It has exactly one operator. */
export type MobileCondition =
  {   /** Contains the text. */
  contains: string; equals?: never; exists?: never; notEquals?: never; notStartsWith?: never; startsWith?: never; }
  |  { contains?: never;   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; exists?: never; notEquals?: never; notStartsWith?: never; startsWith?: never; }
  |  { contains?: never; equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; notStartsWith?: never; startsWith?: never; }
  |  { contains?: never; equals?: never; exists?: never;   /** Does not equal. */
  notEquals: string; notStartsWith?: never; startsWith?: never; }
  |  { contains?: never; equals?: never; exists?: never; notEquals?: never;   /** Does not start with the text. */
  notStartsWith: string; startsWith?: never; }
  |  { contains?: never; equals?: never; exists?: never; notEquals?: never; notStartsWith?: never;   /** Starts with the text. */
  startsWith: string; };

/** A condition on: the mobile number is of no use. It has exactly one operator. */
export type MobileInvalidCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: boolean; notEquals?: never; }
  |  { equals?: never;   /** Does not equal. */
  notEquals: boolean; };

/** A part of the year, from `MM-DD` to `MM-DD`; it may go beyond New Year. */
export type MonthDayRange = {
  /** The beginning; included. */
  from: string;
  /** The end; included. */
  to: string;
};

/** A condition on: nationality. It has exactly one operator. */
export type NationalityCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; exists?: never; notEquals?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; }
  |  { equals?: never; exists?: never;   /** Does not equal. */
  notEquals: string; };

/** The input of `createNote`. */
export type NoteCreateInput = {
  /** The contact to write on. */
  contactId: string | number;
  /** The text, at most 65,536 characters; not blank. */
  content: string;
  /** Whether to pin it on the contact. */
  pinned?: boolean | null | undefined;
};

/** The input of `deleteNote`. */
export type NoteDeleteInput = {
  /** The id of the Note. */
  id: string | number;
};

/** Which notes are meant: conditions by field, all of which must hold. */
export type NoteFilter = {
  /** Conditions on `authorId`. */
  authorId?: UserIdFilter | null | undefined;
  /** Conditions on `contactId`. */
  contactId?: ContactIdFilter | null | undefined;
  /** Conditions on `content`. */
  content?: TextFilter | null | undefined;
  /** Conditions on `createdAt`. */
  createdAt?: DateTimeFilter | null | undefined;
  /** Conditions on `id`. */
  id?: NoteIdFilter | null | undefined;
  /** Conditions on `pinned`. */
  pinned?: BooleanFilter | null | undefined;
  /** Conditions on `updatedAt`. */
  updatedAt?: DateTimeFilter | null | undefined;
};

/** Conditions on the id of a Note. All of them must hold. */
export type NoteIdFilter = {
  /** Equals this value. */
  equals?: string | number | null | undefined;
  /** Whether there is a value. */
  exists?: boolean | null | undefined;
  /** Equals one of these values; an empty list matches nothing. */
  in?: Array<string | number> | null | undefined;
};

/** An order of notes. */
export type NoteOrder = {
  /** The direction. */
  direction?: OrderDirection;
  /** The field to order by. */
  field: NoteOrderField;
};

/** Orders of notes; ties are broken by id. */
export type NoteOrderField =
  /** By the field `createdAt`. */
  | 'CREATED_AT'
  /** By the field `id`. */
  | 'ID'
  /** By the field `updatedAt`. */
  | 'UPDATED_AT';

/** What to change of a note. Fields left out stay. */
export type NoteUpdateInput = {
  /** The text, at most 65,536 characters; not blank. */
  content?: string | null | undefined;
  /** Id of the note. */
  id: string | number;
  /** Whether it is pinned on the contact; a contact has one pinned note at most. */
  pinned?: boolean | null | undefined;
};

/** A condition on: the user who wrote a note. It has exactly one operator. */
export type NotesAuthorIdCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string | number; exists?: never; notEquals?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; }
  |  { equals?: never; exists?: never;   /** Does not equal. */
  notEquals: string | number; };

/** A condition on: text of a note. It has exactly one operator. */
export type NotesContentCondition =
  {   /** Contains the text. */
  contains: string; notContains?: never; }
  |  { contains?: never;   /** Does not contain the text. */
  notContains: string; };

/** A condition on: number of notes. It has exactly one operator, beside which `of` may say which of them are counted. */
export type NotesCountCondition = {
  /** Is between `from` and `to`, both included. */
  between?: NumberRange | null | undefined;
  /** Equals; text without regard to case, accents and surrounding space. */
  equals?: number | null | undefined;
  /** Is at least. */
  gte?: number | null | undefined;
  /** Is at most; a date alone includes its whole day. */
  lte?: number | null | undefined;
  /** Does not equal. */
  notEquals?: number | null | undefined;
  /** What a record must satisfy to be counted. Without it, all notes are. */
  of?: NotesRecordQuery | null | undefined;
};

/** A condition on: when a note was written. It has exactly one operator. */
export type NotesCreatedAtCondition =
  {   /** Is between `from` and `to`, both included. */
  between: DateRange; equals?: never; gte?: never; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never;   /** Equals; text without regard to case, accents and surrounding space. */
  equals: SearchDate; gte?: never; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never;   /** Is at least. */
  gte: SearchDate; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: SearchDate; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never; gte?: never; lte?: never;   /** Does not equal. */
  notEquals: SearchDate; within?: never; }
  |  { between?: never; equals?: never; gte?: never; lte?: never; notEquals?: never;   /** Falls in this span of time. */
  within: SearchPeriod; };

/** A condition on: whether a note is pinned. It has exactly one operator. */
export type NotesPinnedCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: boolean; notEquals?: never; }
  |  { equals?: never;   /** Does not equal. */
  notEquals: boolean; };

/** A condition on the notes of a contact. What it says of a record must hold for at least one; `any`, `all`, `none` and `count` are for several conditions on the same record. */
export type NotesQuery =
  {   /** Every record satisfies the conditions, also where there is no record. */
  all: NotesRecordQuery; any?: never; authorId?: never; content?: never; count?: never; createdAt?: never; none?: never; pinned?: never; updatedAt?: never; }
  |  { all?: never;   /** At least one record satisfies the conditions. */
  any: NotesRecordQuery; authorId?: never; content?: never; count?: never; createdAt?: never; none?: never; pinned?: never; updatedAt?: never; }
  |  { all?: never; any?: never;   /** The user who wrote a note. */
  authorId: NotesAuthorIdCondition; content?: never; count?: never; createdAt?: never; none?: never; pinned?: never; updatedAt?: never; }
  |  { all?: never; any?: never; authorId?: never;   /** Text of a note. */
  content: NotesContentCondition; count?: never; createdAt?: never; none?: never; pinned?: never; updatedAt?: never; }
  |  { all?: never; any?: never; authorId?: never; content?: never;   /** Number of notes. */
  count: NotesCountCondition; createdAt?: never; none?: never; pinned?: never; updatedAt?: never; }
  |  { all?: never; any?: never; authorId?: never; content?: never; count?: never;   /** When a note was written. */
  createdAt: NotesCreatedAtCondition; none?: never; pinned?: never; updatedAt?: never; }
  |  { all?: never; any?: never; authorId?: never; content?: never; count?: never; createdAt?: never;   /** No record satisfies the conditions. */
  none: NotesRecordQuery; pinned?: never; updatedAt?: never; }
  |  { all?: never; any?: never; authorId?: never; content?: never; count?: never; createdAt?: never; none?: never;   /** Whether a note is pinned. */
  pinned: NotesPinnedCondition; updatedAt?: never; }
  |  { all?: never; any?: never; authorId?: never; content?: never; count?: never; createdAt?: never; none?: never; pinned?: never;   /** When a note was last changed. */
  updatedAt: NotesUpdatedAtCondition; };

/** What one record of the notes must satisfy: all that is given. Nothing given is satisfied by every record. */
export type NotesRecordQuery = {
  /** The record must satisfy all of these. */
  and?: Array<NotesRecordQuery> | null | undefined;
  /** The user who wrote a note. */
  authorId?: NotesAuthorIdCondition | null | undefined;
  /** Text of a note. */
  content?: NotesContentCondition | null | undefined;
  /** When a note was written. */
  createdAt?: NotesCreatedAtCondition | null | undefined;
  /** The record must not satisfy this. */
  not?: NotesRecordQuery | null | undefined;
  /** The record must satisfy at least one of these. */
  or?: Array<NotesRecordQuery> | null | undefined;
  /** Whether a note is pinned. */
  pinned?: NotesPinnedCondition | null | undefined;
  /** When a note was last changed. */
  updatedAt?: NotesUpdatedAtCondition | null | undefined;
};

/** A condition on: when a note was last changed. It has exactly one operator. */
export type NotesUpdatedAtCondition =
  {   /** Is between `from` and `to`, both included. */
  between: DateRange; equals?: never; gte?: never; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never;   /** Equals; text without regard to case, accents and surrounding space. */
  equals: SearchDate; gte?: never; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never;   /** Is at least. */
  gte: SearchDate; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: SearchDate; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never; gte?: never; lte?: never;   /** Does not equal. */
  notEquals: SearchDate; within?: never; }
  |  { between?: never; equals?: never; gte?: never; lte?: never; notEquals?: never;   /** Falls in this span of time. */
  within: SearchPeriod; };

/** A range of whole numbers. */
export type NumberRange = {
  /** The beginning; included. */
  from: number;
  /** The end; included. */
  to: number;
};

/** A condition on: when a contact who is opted out did so last; there is no time for one that the history of consent does not know. It has exactly one operator. */
export type OptedOutAtCondition =
  {   /** Is between `from` and `to`, both included. */
  between: DateRange; exists?: never; gte?: never; lte?: never; within?: never; }
  |  { between?: never;   /** True: has a value; false: has no value. */
  exists: boolean; gte?: never; lte?: never; within?: never; }
  |  { between?: never; exists?: never;   /** Is at least. */
  gte: SearchDate; lte?: never; within?: never; }
  |  { between?: never; exists?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: SearchDate; within?: never; }
  |  { between?: never; exists?: never; gte?: never; lte?: never;   /** Falls in this span of time. */
  within: SearchPeriod; };

/** A condition on: opted out of all communication. It has exactly one operator. */
export type OptedOutCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: boolean; notEquals?: never; }
  |  { equals?: never;   /** Does not equal. */
  notEquals: boolean; };

/** The direction of an order. Records without a value come last in both. */
export type OrderDirection =
  /** The smallest or earliest first. */
  | 'ASC'
  /** The greatest or latest first. */
  | 'DESC';

/** How long a span of time is, from 1 to 9999 of a unit. */
export type PeriodLength =
  {   /** Days. */
  days: number; months?: never; weeks?: never; years?: never; }
  |  { days?: never;   /** Months. */
  months: number; weeks?: never; years?: never; }
  |  { days?: never; months?: never;   /** Weeks. */
  weeks: number; years?: never; }
  |  { days?: never; months?: never; weeks?: never;   /** Years. */
  years: number; };

/** A condition on: landline number. It has exactly one operator. */
export type PhoneCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; exists?: never; notEquals?: never; notStartsWith?: never; startsWith?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notEquals?: never; notStartsWith?: never; startsWith?: never; }
  |  { equals?: never; exists?: never;   /** Does not equal. */
  notEquals: string; notStartsWith?: never; startsWith?: never; }
  |  { equals?: never; exists?: never; notEquals?: never;   /** Does not start with the text. */
  notStartsWith: string; startsWith?: never; }
  |  { equals?: never; exists?: never; notEquals?: never; notStartsWith?: never;   /** Starts with the text. */
  startsWith: string; };

/** A condition on: the landline number is of no use. It has exactly one operator. */
export type PhoneInvalidCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: boolean; notEquals?: never; }
  |  { equals?: never;   /** Does not equal. */
  notEquals: boolean; };

/** Conditions on the id of a Role. All of them must hold. */
export type RoleIdFilter = {
  /** Equals this value. */
  equals?: string | number | null | undefined;
  /** Whether there is a value. */
  exists?: boolean | null | undefined;
  /** Equals one of these values; an empty list matches nothing. */
  in?: Array<string | number> | null | undefined;
};

/** How far a role reaches, from everything (superadmin) to reading and writing notes (user, custom). */
export type RoleType =
  /** A role of type admin. */
  | 'ADMIN'
  /** A role of type custom. */
  | 'CUSTOM'
  /** A role of type manager. */
  | 'MANAGER'
  /** A role of type superadmin. */
  | 'SUPERADMIN'
  /** A role of type user. */
  | 'USER';

/** Conditions on a value of RoleType. All of them must hold. */
export type RoleTypeFilter = {
  /** Equals this value. */
  equals?: RoleType | null | undefined;
  /** Whether there is a value. */
  exists?: boolean | null | undefined;
  /** Equals one of these values; an empty list matches nothing. */
  in?: Array<RoleType> | null | undefined;
};

/** Whether a sanction holds at this moment. */
export type SanctionValidity =
  /** It has ended. */
  | 'ENDED'
  /** It has begun and has not ended. */
  | 'ONGOING';

/** A condition on: number of sanctions. It has exactly one operator, beside which `of` may say which of them are counted. */
export type SanctionsCountCondition = {
  /** Is between `from` and `to`, both included. */
  between?: NumberRange | null | undefined;
  /** Equals; text without regard to case, accents and surrounding space. */
  equals?: number | null | undefined;
  /** Is at least. */
  gte?: number | null | undefined;
  /** Is at most; a date alone includes its whole day. */
  lte?: number | null | undefined;
  /** Does not equal. */
  notEquals?: number | null | undefined;
  /** What a record must satisfy to be counted. Without it, all sanctions are. */
  of?: SanctionsRecordQuery | null | undefined;
};

/** A condition on: when a sanction was recorded. It has exactly one operator. */
export type SanctionsCreatedAtCondition =
  {   /** Is between `from` and `to`, both included. */
  between: DateRange; equals?: never; gte?: never; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never;   /** Equals; text without regard to case, accents and surrounding space. */
  equals: SearchDate; gte?: never; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never;   /** Is at least. */
  gte: SearchDate; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: SearchDate; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never; gte?: never; lte?: never;   /** Does not equal. */
  notEquals: SearchDate; within?: never; }
  |  { between?: never; equals?: never; gte?: never; lte?: never; notEquals?: never;   /** Falls in this span of time. */
  within: SearchPeriod; };

/** A condition on: when a sanction ends. It has exactly one operator. */
export type SanctionsEndDateCondition =
  {   /** Is between `from` and `to`, both included. */
  between: DateRange; equals?: never; exists?: never; gte?: never; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never;   /** Equals; text without regard to case, accents and surrounding space. */
  equals: SearchDate; exists?: never; gte?: never; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; gte?: never; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never; exists?: never;   /** Is at least. */
  gte: SearchDate; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never; exists?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: SearchDate; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never; exists?: never; gte?: never; lte?: never;   /** Does not equal. */
  notEquals: SearchDate; within?: never; }
  |  { between?: never; equals?: never; exists?: never; gte?: never; lte?: never; notEquals?: never;   /** Falls in this span of time. */
  within: SearchPeriod; };

/** A condition on the sanctions of a contact. What it says of a record must hold for at least one; `any`, `all`, `none` and `count` are for several conditions on the same record. */
export type SanctionsQuery =
  {   /** Every record satisfies the conditions, also where there is no record. */
  all: SanctionsRecordQuery; any?: never; count?: never; createdAt?: never; endDate?: never; none?: never; startDate?: never; status?: never; updatedAt?: never; validity?: never; }
  |  { all?: never;   /** At least one record satisfies the conditions. */
  any: SanctionsRecordQuery; count?: never; createdAt?: never; endDate?: never; none?: never; startDate?: never; status?: never; updatedAt?: never; validity?: never; }
  |  { all?: never; any?: never;   /** Number of sanctions. */
  count: SanctionsCountCondition; createdAt?: never; endDate?: never; none?: never; startDate?: never; status?: never; updatedAt?: never; validity?: never; }
  |  { all?: never; any?: never; count?: never;   /** When a sanction was recorded. */
  createdAt: SanctionsCreatedAtCondition; endDate?: never; none?: never; startDate?: never; status?: never; updatedAt?: never; validity?: never; }
  |  { all?: never; any?: never; count?: never; createdAt?: never;   /** When a sanction ends. */
  endDate: SanctionsEndDateCondition; none?: never; startDate?: never; status?: never; updatedAt?: never; validity?: never; }
  |  { all?: never; any?: never; count?: never; createdAt?: never; endDate?: never;   /** No record satisfies the conditions. */
  none: SanctionsRecordQuery; startDate?: never; status?: never; updatedAt?: never; validity?: never; }
  |  { all?: never; any?: never; count?: never; createdAt?: never; endDate?: never; none?: never;   /** When a sanction starts. */
  startDate: SanctionsStartDateCondition; status?: never; updatedAt?: never; validity?: never; }
  |  { all?: never; any?: never; count?: never; createdAt?: never; endDate?: never; none?: never; startDate?: never;   /** Status of a sanction. */
  status: SanctionsStatusCondition; updatedAt?: never; validity?: never; }
  |  { all?: never; any?: never; count?: never; createdAt?: never; endDate?: never; none?: never; startDate?: never; status?: never;   /** When a sanction was last changed. */
  updatedAt: SanctionsUpdatedAtCondition; validity?: never; }
  |  { all?: never; any?: never; count?: never; createdAt?: never; endDate?: never; none?: never; startDate?: never; status?: never; updatedAt?: never;   /** Ongoing or ended. */
  validity: SanctionsValidityCondition; };

/** What one record of the sanctions must satisfy: all that is given. Nothing given is satisfied by every record. */
export type SanctionsRecordQuery = {
  /** The record must satisfy all of these. */
  and?: Array<SanctionsRecordQuery> | null | undefined;
  /** When a sanction was recorded. */
  createdAt?: SanctionsCreatedAtCondition | null | undefined;
  /** When a sanction ends. */
  endDate?: SanctionsEndDateCondition | null | undefined;
  /** The record must not satisfy this. */
  not?: SanctionsRecordQuery | null | undefined;
  /** The record must satisfy at least one of these. */
  or?: Array<SanctionsRecordQuery> | null | undefined;
  /** When a sanction starts. */
  startDate?: SanctionsStartDateCondition | null | undefined;
  /** Status of a sanction. */
  status?: SanctionsStatusCondition | null | undefined;
  /** When a sanction was last changed. */
  updatedAt?: SanctionsUpdatedAtCondition | null | undefined;
  /** Ongoing or ended. */
  validity?: SanctionsValidityCondition | null | undefined;
};

/** A condition on: when a sanction starts. It has exactly one operator. */
export type SanctionsStartDateCondition =
  {   /** Is between `from` and `to`, both included. */
  between: DateRange; equals?: never; gte?: never; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never;   /** Equals; text without regard to case, accents and surrounding space. */
  equals: SearchDate; gte?: never; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never;   /** Is at least. */
  gte: SearchDate; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: SearchDate; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never; gte?: never; lte?: never;   /** Does not equal. */
  notEquals: SearchDate; within?: never; }
  |  { between?: never; equals?: never; gte?: never; lte?: never; notEquals?: never;   /** Falls in this span of time. */
  within: SearchPeriod; };

/** A condition on: status of a sanction. It has exactly one operator. */
export type SanctionsStatusCondition =
  {   /** Contains the text. */
  contains: string; equals?: never; notContains?: never; notEquals?: never; }
  |  { contains?: never;   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; notContains?: never; notEquals?: never; }
  |  { contains?: never; equals?: never;   /** Does not contain the text. */
  notContains: string; notEquals?: never; }
  |  { contains?: never; equals?: never; notContains?: never;   /** Does not equal. */
  notEquals: string; };

/** A condition on: when a sanction was last changed. It has exactly one operator. */
export type SanctionsUpdatedAtCondition =
  {   /** Is between `from` and `to`, both included. */
  between: DateRange; equals?: never; gte?: never; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never;   /** Equals; text without regard to case, accents and surrounding space. */
  equals: SearchDate; gte?: never; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never;   /** Is at least. */
  gte: SearchDate; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: SearchDate; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never; gte?: never; lte?: never;   /** Does not equal. */
  notEquals: SearchDate; within?: never; }
  |  { between?: never; equals?: never; gte?: never; lte?: never; notEquals?: never;   /** Falls in this span of time. */
  within: SearchPeriod; };

/** A condition on: ongoing or ended. It has exactly one operator. */
export type SanctionsValidityCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: SanctionValidity; };

/** A span of time relative to the request, such as `{ this: YEAR }` or `{ last: { days: 90 } }`. */
export type SearchPeriod =
  {   /** The one after. */
  following: CalendarUnit; last?: never; next?: never; previous?: never; this?: never; }
  |  { following?: never;   /** As long before the request, up to it. Of days: those that end with the day of the request. */
  last: PeriodLength; next?: never; previous?: never; this?: never; }
  |  { following?: never; last?: never;   /** As long after the request, from it on. Of days: those that begin with the day of the request. */
  next: PeriodLength; previous?: never; this?: never; }
  |  { following?: never; last?: never; next?: never;   /** The one before. */
  previous: CalendarUnit; this?: never; }
  |  { following?: never; last?: never; next?: never; previous?: never;   /** The day, week, month, quarter or year of the request. */
  this: CalendarUnit; };

/** A condition on: saved segment that the contact is in. It has exactly one operator. */
export type SegmentCondition =
  {   /** Is one of the list, or has one of it. */
  in: Array<string | number>; notIn?: never; }
  |  { in?: never;   /** Is none of the list, or has none of it. */
  notIn: Array<string | number>; };

/** The input of `createSegment`. */
export type SegmentCreateInput = {
  /** What it is for. */
  description?: string | null | undefined;
  /** Whether to record which contacts enter it and leave it; false without it. */
  isWatched?: boolean | null | undefined;
  /** Its name; not blank, and no other segment of the space has it. */
  name: string;
  /** Its query. It may name other segments, but not lead back to itself. */
  query: ContactQuery;
};

/** The input of `deleteSegment`. */
export type SegmentDeleteInput = {
  /** Fails with 412 unless the Segment has this version. */
  expectedVersion?: number | null | undefined;
  /** The id of the Segment. */
  id: string | number;
};

/** Which segments are meant: conditions by field, all of which must hold. */
export type SegmentFilter = {
  /** Conditions on `authorId`. */
  authorId?: UserIdFilter | null | undefined;
  /** Conditions on `createdAt`. */
  createdAt?: DateTimeFilter | null | undefined;
  /** Conditions on `id`. */
  id?: SegmentIdFilter | null | undefined;
  /** Conditions on `isWatched`. */
  isWatched?: BooleanFilter | null | undefined;
  /** Conditions on `name`. */
  name?: TextFilter | null | undefined;
  /** Conditions on `updatedAt`. */
  updatedAt?: DateTimeFilter | null | undefined;
};

/** Conditions on the id of a Segment. All of them must hold. */
export type SegmentIdFilter = {
  /** Equals this value. */
  equals?: string | number | null | undefined;
  /** Whether there is a value. */
  exists?: boolean | null | undefined;
  /** Equals one of these values; an empty list matches nothing. */
  in?: Array<string | number> | null | undefined;
};

/** An order of segments. */
export type SegmentOrder = {
  /** The direction. */
  direction?: OrderDirection;
  /** The field to order by. */
  field: SegmentOrderField;
};

/** Orders of segments; ties are broken by id. */
export type SegmentOrderField =
  /** By the field `createdAt`. */
  | 'CREATED_AT'
  /** By the field `id`. */
  | 'ID'
  /** By the field `name`. */
  | 'NAME'
  /** By the field `updatedAt`. */
  | 'UPDATED_AT';

/** The input of `updateSegment`. */
export type SegmentUpdateInput = {
  /** What it is for. */
  description?: string | null | undefined;
  /** Fails with 412 unless the segment has this version. */
  expectedVersion?: number | null | undefined;
  /** Id of the segment. */
  id: string | number;
  /** Whether to record which contacts enter it and leave it; false without it. */
  isWatched?: boolean | null | undefined;
  /** Its name; not blank, and no other segment of the space has it. */
  name?: string | null | undefined;
  /** Its query. It may name other segments, but not lead back to itself. */
  query?: ContactQuery | null | undefined;
};

/** Conditions on a value. All of them must hold. */
export type StringFilter = {
  /** Equals this value. */
  equals?: string | null | undefined;
  /** Whether there is a value. */
  exists?: boolean | null | undefined;
  /** Equals one of these values; an empty list matches nothing. */
  in?: Array<string> | null | undefined;
};

/** Which tags are meant: conditions by field, all of which must hold. */
export type TagFilter = {
  /** Conditions on `color`. */
  color?: StringFilter | null | undefined;
  /** Conditions on `createdAt`. */
  createdAt?: DateTimeFilter | null | undefined;
  /** Conditions on `id`. */
  id?: TagIdFilter | null | undefined;
  /** Conditions on `name`. */
  name?: TextFilter | null | undefined;
  /** Conditions on `updatedAt`. */
  updatedAt?: DateTimeFilter | null | undefined;
};

/** Conditions on the id of a Tag. All of them must hold. */
export type TagIdFilter = {
  /** Equals this value. */
  equals?: string | number | null | undefined;
  /** Whether there is a value. */
  exists?: boolean | null | undefined;
  /** Equals one of these values; an empty list matches nothing. */
  in?: Array<string | number> | null | undefined;
};

/** An order of tags. */
export type TagOrder = {
  /** The direction. */
  direction?: OrderDirection;
  /** The field to order by. */
  field: TagOrderField;
};

/** Orders of tags; ties are broken by id. */
export type TagOrderField =
  /** By the field `createdAt`. */
  | 'CREATED_AT'
  /** By the field `id`. */
  | 'ID'
  /** By the field `name`. */
  | 'NAME'
  /** By the field `updatedAt`. */
  | 'UPDATED_AT';

/** A condition on: name of a tag. It has exactly one operator. */
export type TagsCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; exists?: never; hasAll?: never; in?: never; notEquals?: never; notIn?: never; }
  |  { equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; hasAll?: never; in?: never; notEquals?: never; notIn?: never; }
  |  { equals?: never; exists?: never;   /** Has all of the list. */
  hasAll: Array<string>; in?: never; notEquals?: never; notIn?: never; }
  |  { equals?: never; exists?: never; hasAll?: never;   /** Is one of the list, or has one of it. */
  in: Array<string>; notEquals?: never; notIn?: never; }
  |  { equals?: never; exists?: never; hasAll?: never; in?: never;   /** Does not equal. */
  notEquals: string; notIn?: never; }
  |  { equals?: never; exists?: never; hasAll?: never; in?: never; notEquals?: never;   /** Is none of the list, or has none of it. */
  notIn: Array<string>; };

/** Which teams are meant: conditions by field, all of which must hold. */
export type TeamFilter = {
  /** Conditions on `createdAt`. */
  createdAt?: DateTimeFilter | null | undefined;
  /** Conditions on `description`. */
  description?: TextFilter | null | undefined;
  /** Conditions on `id`. */
  id?: TeamIdFilter | null | undefined;
  /** Conditions on `name`. */
  name?: TextFilter | null | undefined;
  /** Conditions on `private`. */
  private?: BooleanFilter | null | undefined;
  /** Conditions on `updatedAt`. */
  updatedAt?: DateTimeFilter | null | undefined;
};

/** Conditions on the id of a Team. All of them must hold. */
export type TeamIdFilter = {
  /** Equals this value. */
  equals?: string | number | null | undefined;
  /** Whether there is a value. */
  exists?: boolean | null | undefined;
  /** Equals one of these values; an empty list matches nothing. */
  in?: Array<string | number> | null | undefined;
};

/** An order of teams. */
export type TeamOrder = {
  /** The direction. */
  direction?: OrderDirection;
  /** The field to order by. */
  field: TeamOrderField;
};

/** Orders of teams; ties are broken by id. */
export type TeamOrderField =
  /** By the field `createdAt`. */
  | 'CREATED_AT'
  /** By the field `id`. */
  | 'ID'
  /** By the field `name`. */
  | 'NAME'
  /** By the field `updatedAt`. */
  | 'UPDATED_AT';

/** Conditions on a value. All of them must hold. */
export type TextFilter = {
  /** Contains this text, without regard to case and accents. */
  contains?: string | null | undefined;
  /** Equals this value. */
  equals?: string | null | undefined;
  /** Whether there is a value. */
  exists?: boolean | null | undefined;
  /** Equals one of these values; an empty list matches nothing. */
  in?: Array<string> | null | undefined;
  /** Begins with this text, without regard to case and accents. */
  startsWith?: string | null | undefined;
};

/** A range of values of an answer: numbers, dates or texts, by the type of the form. */
export type TextRange = {
  /** The beginning; included. */
  from: string;
  /** The end; included. */
  to: string;
};

/** A condition on: amount of a transaction. It has exactly one operator, beside which a currency may stand. */
export type TransactionsAmountCondition = {
  /** Is between `from` and `to`, both included. */
  between?: NumberRange | null | undefined;
  /** The currency of the amounts that count, by its code of ISO 4217; EUR when it is left out. */
  currency?: string | null | undefined;
  /** Equals; text without regard to case, accents and surrounding space. */
  equals?: number | null | undefined;
  /** Is at least. */
  gte?: number | null | undefined;
  /** Is at most; a date alone includes its whole day. */
  lte?: number | null | undefined;
  /** Does not equal. */
  notEquals?: number | null | undefined;
};

/** A condition on: campaign code of a transaction. It has exactly one operator. */
export type TransactionsCodeCampaignCondition =
  {   /** Contains the text. */
  contains: string; equals?: never; exists?: never; notContains?: never; notEquals?: never; notStartsWith?: never; startsWith?: never; }
  |  { contains?: never;   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; exists?: never; notContains?: never; notEquals?: never; notStartsWith?: never; startsWith?: never; }
  |  { contains?: never; equals?: never;   /** True: has a value; false: has no value. */
  exists: boolean; notContains?: never; notEquals?: never; notStartsWith?: never; startsWith?: never; }
  |  { contains?: never; equals?: never; exists?: never;   /** Does not contain the text. */
  notContains: string; notEquals?: never; notStartsWith?: never; startsWith?: never; }
  |  { contains?: never; equals?: never; exists?: never; notContains?: never;   /** Does not equal. */
  notEquals: string; notStartsWith?: never; startsWith?: never; }
  |  { contains?: never; equals?: never; exists?: never; notContains?: never; notEquals?: never;   /** Does not start with the text. */
  notStartsWith: string; startsWith?: never; }
  |  { contains?: never; equals?: never; exists?: never; notContains?: never; notEquals?: never; notStartsWith?: never;   /** Starts with the text. */
  startsWith: string; };

/** A condition on: number of transactions. It has exactly one operator, beside which `of` may say which of them are counted. */
export type TransactionsCountCondition = {
  /** Is between `from` and `to`, both included. */
  between?: NumberRange | null | undefined;
  /** Equals; text without regard to case, accents and surrounding space. */
  equals?: number | null | undefined;
  /** Is at least. */
  gte?: number | null | undefined;
  /** Is at most; a date alone includes its whole day. */
  lte?: number | null | undefined;
  /** Does not equal. */
  notEquals?: number | null | undefined;
  /** What a record must satisfy to be counted. Without it, all transactions are. */
  of?: TransactionsRecordQuery | null | undefined;
};

/** A condition on: when a transaction was recorded. It has exactly one operator. */
export type TransactionsCreatedAtCondition =
  {   /** Is between `from` and `to`, both included. */
  between: DateRange; gte?: never; lte?: never; within?: never; }
  |  { between?: never;   /** Is at least. */
  gte: SearchDate; lte?: never; within?: never; }
  |  { between?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: SearchDate; within?: never; }
  |  { between?: never; gte?: never; lte?: never;   /** Falls in this span of time. */
  within: SearchPeriod; };

/** A condition on: date of a transaction. It has exactly one operator. */
export type TransactionsDateCondition =
  {   /** Is between `from` and `to`, both included. */
  between: DateRange; equals?: never; gte?: never; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never;   /** Equals; text without regard to case, accents and surrounding space. */
  equals: SearchDate; gte?: never; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never;   /** Is at least. */
  gte: SearchDate; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: SearchDate; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never; gte?: never; lte?: never;   /** Does not equal. */
  notEquals: SearchDate; within?: never; }
  |  { between?: never; equals?: never; gte?: never; lte?: never; notEquals?: never;   /** Falls in this span of time. */
  within: SearchPeriod; };

/** A condition on: means of payment of a transaction. It has exactly one operator. */
export type TransactionsPaymentMethodKindCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string; notEquals?: never; }
  |  { equals?: never;   /** Does not equal. */
  notEquals: string; };

/** A condition on the transactions of a contact. What it says of a record must hold for at least one; `any`, `all`, `none` and `count` are for several conditions on the same record. */
export type TransactionsQuery =
  {   /** Every record satisfies the conditions, also where there is no record. */
  all: TransactionsRecordQuery; amount?: never; any?: never; codeCampaign?: never; count?: never; createdAt?: never; date?: never; none?: never; paymentMethodKind?: never; statusId?: never; total?: never; updatedAt?: never; }
  |  { all?: never;   /** Amount of a transaction, in minor units: 9990 is 99.90 euros. Other currencies count only where `currency` names one. */
  amount: TransactionsAmountCondition; any?: never; codeCampaign?: never; count?: never; createdAt?: never; date?: never; none?: never; paymentMethodKind?: never; statusId?: never; total?: never; updatedAt?: never; }
  |  { all?: never; amount?: never;   /** At least one record satisfies the conditions. */
  any: TransactionsRecordQuery; codeCampaign?: never; count?: never; createdAt?: never; date?: never; none?: never; paymentMethodKind?: never; statusId?: never; total?: never; updatedAt?: never; }
  |  { all?: never; amount?: never; any?: never;   /** Campaign code of a transaction. */
  codeCampaign: TransactionsCodeCampaignCondition; count?: never; createdAt?: never; date?: never; none?: never; paymentMethodKind?: never; statusId?: never; total?: never; updatedAt?: never; }
  |  { all?: never; amount?: never; any?: never; codeCampaign?: never;   /** Number of transactions. */
  count: TransactionsCountCondition; createdAt?: never; date?: never; none?: never; paymentMethodKind?: never; statusId?: never; total?: never; updatedAt?: never; }
  |  { all?: never; amount?: never; any?: never; codeCampaign?: never; count?: never;   /** When a transaction was recorded. */
  createdAt: TransactionsCreatedAtCondition; date?: never; none?: never; paymentMethodKind?: never; statusId?: never; total?: never; updatedAt?: never; }
  |  { all?: never; amount?: never; any?: never; codeCampaign?: never; count?: never; createdAt?: never;   /** Date of a transaction. */
  date: TransactionsDateCondition; none?: never; paymentMethodKind?: never; statusId?: never; total?: never; updatedAt?: never; }
  |  { all?: never; amount?: never; any?: never; codeCampaign?: never; count?: never; createdAt?: never; date?: never;   /** No record satisfies the conditions. */
  none: TransactionsRecordQuery; paymentMethodKind?: never; statusId?: never; total?: never; updatedAt?: never; }
  |  { all?: never; amount?: never; any?: never; codeCampaign?: never; count?: never; createdAt?: never; date?: never; none?: never;   /** Means of payment of a transaction. */
  paymentMethodKind: TransactionsPaymentMethodKindCondition; statusId?: never; total?: never; updatedAt?: never; }
  |  { all?: never; amount?: never; any?: never; codeCampaign?: never; count?: never; createdAt?: never; date?: never; none?: never; paymentMethodKind?: never;   /** Status of a transaction. */
  statusId: TransactionsStatusIdCondition; total?: never; updatedAt?: never; }
  |  { all?: never; amount?: never; any?: never; codeCampaign?: never; count?: never; createdAt?: never; date?: never; none?: never; paymentMethodKind?: never; statusId?: never;   /** Total of the transactions, in minor units: 9990 is 99.90 euros. Other currencies count only where `currency` names one. */
  total: TransactionsTotalCondition; updatedAt?: never; }
  |  { all?: never; amount?: never; any?: never; codeCampaign?: never; count?: never; createdAt?: never; date?: never; none?: never; paymentMethodKind?: never; statusId?: never; total?: never;   /** When a transaction was last changed. */
  updatedAt: TransactionsUpdatedAtCondition; };

/** What one record of the transactions must satisfy: all that is given. Nothing given is satisfied by every record. */
export type TransactionsRecordQuery = {
  /** Amount of a transaction, in minor units: 9990 is 99.90 euros. Other currencies count only where `currency` names one. */
  amount?: TransactionsAmountCondition | null | undefined;
  /** The record must satisfy all of these. */
  and?: Array<TransactionsRecordQuery> | null | undefined;
  /** Campaign code of a transaction. */
  codeCampaign?: TransactionsCodeCampaignCondition | null | undefined;
  /** When a transaction was recorded. */
  createdAt?: TransactionsCreatedAtCondition | null | undefined;
  /** Date of a transaction. */
  date?: TransactionsDateCondition | null | undefined;
  /** The record must not satisfy this. */
  not?: TransactionsRecordQuery | null | undefined;
  /** The record must satisfy at least one of these. */
  or?: Array<TransactionsRecordQuery> | null | undefined;
  /** Means of payment of a transaction. */
  paymentMethodKind?: TransactionsPaymentMethodKindCondition | null | undefined;
  /** Status of a transaction. */
  statusId?: TransactionsStatusIdCondition | null | undefined;
  /** When a transaction was last changed. */
  updatedAt?: TransactionsUpdatedAtCondition | null | undefined;
};

/** A condition on: status of a transaction. It has exactly one operator. */
export type TransactionsStatusIdCondition =
  {   /** Equals; text without regard to case, accents and surrounding space. */
  equals: string | number; notEquals?: never; }
  |  { equals?: never;   /** Does not equal. */
  notEquals: string | number; };

/** A condition on: total of the transactions. It has exactly one operator, beside which a currency may stand. */
export type TransactionsTotalCondition = {
  /** Is between `from` and `to`, both included. */
  between?: NumberRange | null | undefined;
  /** The currency of the amounts that count, by its code of ISO 4217; EUR when it is left out. */
  currency?: string | null | undefined;
  /** Equals; text without regard to case, accents and surrounding space. */
  equals?: number | null | undefined;
  /** Is at least. */
  gte?: number | null | undefined;
  /** Is at most; a date alone includes its whole day. */
  lte?: number | null | undefined;
  /** Does not equal. */
  notEquals?: number | null | undefined;
};

/** A condition on: when a transaction was last changed. It has exactly one operator. */
export type TransactionsUpdatedAtCondition =
  {   /** Is between `from` and `to`, both included. */
  between: DateRange; equals?: never; gte?: never; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never;   /** Equals; text without regard to case, accents and surrounding space. */
  equals: SearchDate; gte?: never; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never;   /** Is at least. */
  gte: SearchDate; lte?: never; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: SearchDate; notEquals?: never; within?: never; }
  |  { between?: never; equals?: never; gte?: never; lte?: never;   /** Does not equal. */
  notEquals: SearchDate; within?: never; }
  |  { between?: never; equals?: never; gte?: never; lte?: never; notEquals?: never;   /** Falls in this span of time. */
  within: SearchPeriod; };

/** A condition on: when the contact was last written. It has exactly one operator. */
export type UpdatedAtCondition =
  {   /** Is between `from` and `to`, both included. */
  between: DateRange; equals?: never; gte?: never; lte?: never; within?: never; }
  |  { between?: never;   /** Equals; text without regard to case, accents and surrounding space. */
  equals: SearchDate; gte?: never; lte?: never; within?: never; }
  |  { between?: never; equals?: never;   /** Is at least. */
  gte: SearchDate; lte?: never; within?: never; }
  |  { between?: never; equals?: never; gte?: never;   /** Is at most; a date alone includes its whole day. */
  lte: SearchDate; within?: never; }
  |  { between?: never; equals?: never; gte?: never; lte?: never;   /** Falls in this span of time. */
  within: SearchPeriod; };

/** Result of an upsert. */
export type UpsertOutcome =
  /** There was no matching contact, so one was created. */
  | 'CREATED'
  /** The contact existed and was updated. */
  | 'UPDATED';

/** Which users are meant: conditions by field, all of which must hold. */
export type UserFilter = {
  /** Conditions on `createdAt`. */
  createdAt?: DateTimeFilter | null | undefined;
  /** Conditions on `email`. */
  email?: TextFilter | null | undefined;
  /** Conditions on `firstName`. */
  firstName?: TextFilter | null | undefined;
  /** Conditions on `id`. */
  id?: UserIdFilter | null | undefined;
  /** Conditions on `lastName`. */
  lastName?: TextFilter | null | undefined;
  /** Conditions on `roleId`. */
  roleId?: RoleIdFilter | null | undefined;
  /** Conditions on `roleType`. */
  roleType?: RoleTypeFilter | null | undefined;
  /** Conditions on `updatedAt`. */
  updatedAt?: DateTimeFilter | null | undefined;
};

/** Conditions on the id of a User. All of them must hold. */
export type UserIdFilter = {
  /** Equals this value. */
  equals?: string | number | null | undefined;
  /** Whether there is a value. */
  exists?: boolean | null | undefined;
  /** Equals one of these values; an empty list matches nothing. */
  in?: Array<string | number> | null | undefined;
};

/** An order of users. */
export type UserOrder = {
  /** The direction. */
  direction?: OrderDirection;
  /** The field to order by. */
  field: UserOrderField;
};

/** Orders of users; ties are broken by id. */
export type UserOrderField =
  /** By the field `createdAt`. */
  | 'CREATED_AT'
  /** By the field `email`. */
  | 'EMAIL'
  /** By the field `firstName`. */
  | 'FIRST_NAME'
  /** By the field `id`. */
  | 'ID'
  /** By the field `lastName`. */
  | 'LAST_NAME'
  /** By the field `updatedAt`. */
  | 'UPDATED_AT';

/** A range of years. */
export type YearRange = {
  /** The beginning; included. */
  from: number;
  /** The end; included. */
  to: number;
};

export type ChangeDetailsFragment = { cursor: string, at: string, type: ChangeType, operation: ChangeOperation, recordId: string, contactId: string | null, fields: Array<string> };

export type ListChangesQueryVariables = Exact<{
  after?: string | null | undefined;
  filter?: ChangeFilter | null | undefined;
  first?: number | null | undefined;
}>;


export type ListChangesQuery = { changes: { cursor: string, hasMore: boolean, nodes: Array<{ cursor: string, at: string, type: ChangeType, operation: ChangeOperation, recordId: string, contactId: string | null, fields: Array<string> }> } };

export type FollowChangesSubscriptionVariables = Exact<{
  after?: string | null | undefined;
  filter?: ChangeFilter | null | undefined;
}>;


export type FollowChangesSubscription = { changes: { cursor: string, at: string, type: ChangeType, operation: ChangeOperation, recordId: string, contactId: string | null, fields: Array<string> } };

export type ContactSummaryFragment = { id: string, databaseId: number, firstName: string | null, lastName: string | null, email: string | null, phone: string | null, address: { postalCode: string | null, city: string | null } | null };

export type ContactDetailsFragment = { version: number, externalId: string | null, marriedName: string | null, gender: Gender | null, birthDate: string | null, mobile: string | null, optedOut: boolean, createdAt: string, updatedAt: string, id: string, databaseId: number, firstName: string | null, lastName: string | null, email: string | null, phone: string | null, address: { houseNumber: string | null, street: string | null, addition: string | null, postalCode: string | null, city: string | null, country: string | null } | null, tags: Array<{ id: string, name: string, color: string | null }> };

export type ListContactsQueryVariables = Exact<{
  search?: string | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ListContactsQuery = { contacts: { nodes: Array<{ id: string, databaseId: number, firstName: string | null, lastName: string | null, email: string | null, phone: string | null, address: { postalCode: string | null, city: string | null } | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type SearchContactsQueryVariables = Exact<{
  query?: ContactQuery | null | undefined;
  orderBy?: ContactOrder | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type SearchContactsQuery = { searchContacts: { nodes: Array<{ id: string, databaseId: number, firstName: string | null, lastName: string | null, email: string | null, phone: string | null, address: { postalCode: string | null, city: string | null } | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type CountContactsQueryVariables = Exact<{
  query?: ContactQuery | null | undefined;
}>;


export type CountContactsQuery = { searchContacts: { totalCount: number } };

export type ReadContactQueryVariables = Exact<{
  id: string | number;
}>;


export type ReadContactQuery = { contact: { version: number, externalId: string | null, marriedName: string | null, gender: Gender | null, birthDate: string | null, mobile: string | null, optedOut: boolean, createdAt: string, updatedAt: string, id: string, databaseId: number, firstName: string | null, lastName: string | null, email: string | null, phone: string | null, address: { houseNumber: string | null, street: string | null, addition: string | null, postalCode: string | null, city: string | null, country: string | null } | null, tags: Array<{ id: string, name: string, color: string | null }> } | null };

export type CreateContactMutationVariables = Exact<{
  input: ContactCreateInput;
}>;


export type CreateContactMutation = { createContact: { contact: { version: number, externalId: string | null, marriedName: string | null, gender: Gender | null, birthDate: string | null, mobile: string | null, optedOut: boolean, createdAt: string, updatedAt: string, id: string, databaseId: number, firstName: string | null, lastName: string | null, email: string | null, phone: string | null, address: { houseNumber: string | null, street: string | null, addition: string | null, postalCode: string | null, city: string | null, country: string | null } | null, tags: Array<{ id: string, name: string, color: string | null }> } } | null };

export type UpdateContactMutationVariables = Exact<{
  input: ContactUpdateInput;
}>;


export type UpdateContactMutation = { updateContact: { contact: { version: number, externalId: string | null, marriedName: string | null, gender: Gender | null, birthDate: string | null, mobile: string | null, optedOut: boolean, createdAt: string, updatedAt: string, id: string, databaseId: number, firstName: string | null, lastName: string | null, email: string | null, phone: string | null, address: { houseNumber: string | null, street: string | null, addition: string | null, postalCode: string | null, city: string | null, country: string | null } | null, tags: Array<{ id: string, name: string, color: string | null }> } } | null };

export type UpsertContactMutationVariables = Exact<{
  input: ContactUpsertInput;
}>;


export type UpsertContactMutation = { upsertContact: { outcome: UpsertOutcome, contact: { version: number, externalId: string | null, marriedName: string | null, gender: Gender | null, birthDate: string | null, mobile: string | null, optedOut: boolean, createdAt: string, updatedAt: string, id: string, databaseId: number, firstName: string | null, lastName: string | null, email: string | null, phone: string | null, address: { houseNumber: string | null, street: string | null, addition: string | null, postalCode: string | null, city: string | null, country: string | null } | null, tags: Array<{ id: string, name: string, color: string | null }> } } | null };

export type DeleteContactMutationVariables = Exact<{
  input: ContactDeleteInput;
}>;


export type DeleteContactMutation = { deleteContact: { deletedId: string } | null };

export type NoteDetailsFragment = { id: string, content: string, pinned: boolean, createdAt: string, updatedAt: string, author: { id: string, firstName: string | null, lastName: string | null } | null };

export type ListNotesQueryVariables = Exact<{
  filter?: NoteFilter | null | undefined;
  orderBy?: NoteOrder | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ListNotesQuery = { notes: { nodes: Array<{ id: string, content: string, pinned: boolean, createdAt: string, updatedAt: string, author: { id: string, firstName: string | null, lastName: string | null } | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type CreateNoteMutationVariables = Exact<{
  input: NoteCreateInput;
}>;


export type CreateNoteMutation = { createNote: { note: { id: string, content: string, pinned: boolean, createdAt: string, updatedAt: string, contact: { id: string, version: number }, author: { id: string, firstName: string | null, lastName: string | null } | null } } | null };

export type UpdateNoteMutationVariables = Exact<{
  input: NoteUpdateInput;
}>;


export type UpdateNoteMutation = { updateNote: { note: { id: string, content: string, pinned: boolean, createdAt: string, updatedAt: string, contact: { id: string, version: number }, author: { id: string, firstName: string | null, lastName: string | null } | null } } | null };

export type DeleteNoteMutationVariables = Exact<{
  input: NoteDeleteInput;
}>;


export type DeleteNoteMutation = { deleteNote: { deletedId: string } | null };

export type SegmentSummaryFragment = { id: string, databaseId: number, name: string, description: string | null, contactCount: number | null, isWatched: boolean, version: number };

export type ListSegmentsQueryVariables = Exact<{
  filter?: SegmentFilter | null | undefined;
  orderBy?: SegmentOrder | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ListSegmentsQuery = { segments: { nodes: Array<{ id: string, databaseId: number, name: string, description: string | null, contactCount: number | null, isWatched: boolean, version: number }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type ReadSegmentQueryVariables = Exact<{
  id: string | number;
}>;


export type ReadSegmentQuery = { segment: { query: ContactQuery, id: string, databaseId: number, name: string, description: string | null, contactCount: number | null, isWatched: boolean, version: number, faults: Array<{ location: string, message: string }> } | null };

export type ListSegmentContactsQueryVariables = Exact<{
  id: string | number;
  orderBy?: ContactOrder | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ListSegmentContactsQuery = { segment: { contacts: { nodes: Array<{ id: string, databaseId: number, firstName: string | null, lastName: string | null, email: string | null, phone: string | null, address: { postalCode: string | null, city: string | null } | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } } | null };

export type CreateSegmentMutationVariables = Exact<{
  input: SegmentCreateInput;
}>;


export type CreateSegmentMutation = { createSegment: { segment: { id: string, databaseId: number, name: string, description: string | null, contactCount: number | null, isWatched: boolean, version: number } } | null };

export type UpdateSegmentMutationVariables = Exact<{
  input: SegmentUpdateInput;
}>;


export type UpdateSegmentMutation = { updateSegment: { segment: { id: string, databaseId: number, name: string, description: string | null, contactCount: number | null, isWatched: boolean, version: number } } | null };

export type DeleteSegmentMutationVariables = Exact<{
  input: SegmentDeleteInput;
}>;


export type DeleteSegmentMutation = { deleteSegment: { deletedId: string } | null };

export type PageEndFragment = { hasNextPage: boolean, endCursor: string | null };

export type TagSummaryFragment = { id: string, name: string, color: string | null };

export type ReadViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ReadViewerQuery = { viewer: { user: { id: string, firstName: string | null, lastName: string | null, email: string } | null, space: { id: string, name: string } } };

export type ListTagsQueryVariables = Exact<{
  filter?: TagFilter | null | undefined;
  orderBy?: TagOrder | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ListTagsQuery = { tags: { nodes: Array<{ id: string, name: string, color: string | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type TagContactsMutationVariables = Exact<{
  input: ContactsTagInput;
}>;


export type TagContactsMutation = { tagContacts: { contacts: Array<{ id: string, version: number, tags: Array<{ id: string, name: string, color: string | null }> }> } | null };

export type ListTeamsQueryVariables = Exact<{
  filter?: TeamFilter | null | undefined;
  orderBy?: TeamOrder | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ListTeamsQuery = { teams: { nodes: Array<{ id: string, name: string, description: string, leaders: Array<{ id: string, firstName: string | null, lastName: string | null }> }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type ListUsersQueryVariables = Exact<{
  filter?: UserFilter | null | undefined;
  orderBy?: UserOrder | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ListUsersQuery = { users: { nodes: Array<{ id: string, firstName: string | null, lastName: string | null, email: string, role: { id: string, name: string } }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export const ListChangesDocument = `query ListChanges($after: String, $filter: ChangeFilter, $first: Int) {
  changes(after: $after, filter: $filter, first: $first) {
    nodes {
      ...ChangeDetails
    }
    cursor
    hasMore
  }
}

fragment ChangeDetails on Change {
  cursor
  at
  type
  operation
  recordId
  contactId
  fields
}` as TypedDocument<ListChangesQuery, ListChangesQueryVariables>;

export const FollowChangesDocument = `subscription FollowChanges($after: String, $filter: ChangeFilter) {
  changes(after: $after, filter: $filter) {
    ...ChangeDetails
  }
}

fragment ChangeDetails on Change {
  cursor
  at
  type
  operation
  recordId
  contactId
  fields
}` as TypedDocument<FollowChangesSubscription, FollowChangesSubscriptionVariables>;

export const ListContactsDocument = `query ListContacts($search: String, $first: Int, $after: String) {
  contacts(search: $search, first: $first, after: $after) {
    nodes {
      ...ContactSummary
    }
    pageInfo {
      ...PageEnd
    }
  }
}

fragment ContactSummary on Contact {
  id
  databaseId
  firstName
  lastName
  email
  phone
  address {
    postalCode
    city
  }
}

fragment PageEnd on PageInfo {
  hasNextPage
  endCursor
}` as TypedDocument<ListContactsQuery, ListContactsQueryVariables>;

export const SearchContactsDocument = `query SearchContacts($query: ContactQuery, $orderBy: ContactOrder, $first: Int, $after: String) {
  searchContacts(query: $query, orderBy: $orderBy, first: $first, after: $after) {
    nodes {
      ...ContactSummary
    }
    pageInfo {
      ...PageEnd
    }
  }
}

fragment ContactSummary on Contact {
  id
  databaseId
  firstName
  lastName
  email
  phone
  address {
    postalCode
    city
  }
}

fragment PageEnd on PageInfo {
  hasNextPage
  endCursor
}` as TypedDocument<SearchContactsQuery, SearchContactsQueryVariables>;

export const CountContactsDocument = `query CountContacts($query: ContactQuery) {
  searchContacts(query: $query, first: 0) {
    totalCount
  }
}` as TypedDocument<CountContactsQuery, CountContactsQueryVariables>;

export const ReadContactDocument = `query ReadContact($id: ID!) {
  contact(id: $id) {
    ...ContactDetails
  }
}

fragment ContactDetails on Contact {
  ...ContactSummary
  version
  externalId
  marriedName
  gender
  birthDate
  mobile
  optedOut
  address {
    houseNumber
    street
    addition
    postalCode
    city
    country
  }
  tags {
    ...TagSummary
  }
  createdAt
  updatedAt
}

fragment ContactSummary on Contact {
  id
  databaseId
  firstName
  lastName
  email
  phone
  address {
    postalCode
    city
  }
}

fragment TagSummary on Tag {
  id
  name
  color
}` as TypedDocument<ReadContactQuery, ReadContactQueryVariables>;

export const CreateContactDocument = `mutation CreateContact($input: ContactCreateInput!) {
  createContact(input: $input) {
    contact {
      ...ContactDetails
    }
  }
}

fragment ContactDetails on Contact {
  ...ContactSummary
  version
  externalId
  marriedName
  gender
  birthDate
  mobile
  optedOut
  address {
    houseNumber
    street
    addition
    postalCode
    city
    country
  }
  tags {
    ...TagSummary
  }
  createdAt
  updatedAt
}

fragment ContactSummary on Contact {
  id
  databaseId
  firstName
  lastName
  email
  phone
  address {
    postalCode
    city
  }
}

fragment TagSummary on Tag {
  id
  name
  color
}` as TypedDocument<CreateContactMutation, CreateContactMutationVariables>;

export const UpdateContactDocument = `mutation UpdateContact($input: ContactUpdateInput!) {
  updateContact(input: $input) {
    contact {
      ...ContactDetails
    }
  }
}

fragment ContactDetails on Contact {
  ...ContactSummary
  version
  externalId
  marriedName
  gender
  birthDate
  mobile
  optedOut
  address {
    houseNumber
    street
    addition
    postalCode
    city
    country
  }
  tags {
    ...TagSummary
  }
  createdAt
  updatedAt
}

fragment ContactSummary on Contact {
  id
  databaseId
  firstName
  lastName
  email
  phone
  address {
    postalCode
    city
  }
}

fragment TagSummary on Tag {
  id
  name
  color
}` as TypedDocument<UpdateContactMutation, UpdateContactMutationVariables>;

export const UpsertContactDocument = `mutation UpsertContact($input: ContactUpsertInput!) {
  upsertContact(input: $input) {
    outcome
    contact {
      ...ContactDetails
    }
  }
}

fragment ContactDetails on Contact {
  ...ContactSummary
  version
  externalId
  marriedName
  gender
  birthDate
  mobile
  optedOut
  address {
    houseNumber
    street
    addition
    postalCode
    city
    country
  }
  tags {
    ...TagSummary
  }
  createdAt
  updatedAt
}

fragment ContactSummary on Contact {
  id
  databaseId
  firstName
  lastName
  email
  phone
  address {
    postalCode
    city
  }
}

fragment TagSummary on Tag {
  id
  name
  color
}` as TypedDocument<UpsertContactMutation, UpsertContactMutationVariables>;

export const DeleteContactDocument = `mutation DeleteContact($input: ContactDeleteInput!) {
  deleteContact(input: $input) {
    deletedId
  }
}` as TypedDocument<DeleteContactMutation, DeleteContactMutationVariables>;

export const ListNotesDocument = `query ListNotes($filter: NoteFilter, $orderBy: NoteOrder, $first: Int, $after: String) {
  notes(filter: $filter, orderBy: $orderBy, first: $first, after: $after) {
    nodes {
      ...NoteDetails
    }
    pageInfo {
      ...PageEnd
    }
  }
}

fragment NoteDetails on Note {
  id
  content
  pinned
  createdAt
  updatedAt
  author {
    id
    firstName
    lastName
  }
}

fragment PageEnd on PageInfo {
  hasNextPage
  endCursor
}` as TypedDocument<ListNotesQuery, ListNotesQueryVariables>;

export const CreateNoteDocument = `mutation CreateNote($input: NoteCreateInput!) {
  createNote(input: $input) {
    note {
      ...NoteDetails
      contact {
        id
        version
      }
    }
  }
}

fragment NoteDetails on Note {
  id
  content
  pinned
  createdAt
  updatedAt
  author {
    id
    firstName
    lastName
  }
}` as TypedDocument<CreateNoteMutation, CreateNoteMutationVariables>;

export const UpdateNoteDocument = `mutation UpdateNote($input: NoteUpdateInput!) {
  updateNote(input: $input) {
    note {
      ...NoteDetails
      contact {
        id
        version
      }
    }
  }
}

fragment NoteDetails on Note {
  id
  content
  pinned
  createdAt
  updatedAt
  author {
    id
    firstName
    lastName
  }
}` as TypedDocument<UpdateNoteMutation, UpdateNoteMutationVariables>;

export const DeleteNoteDocument = `mutation DeleteNote($input: NoteDeleteInput!) {
  deleteNote(input: $input) {
    deletedId
  }
}` as TypedDocument<DeleteNoteMutation, DeleteNoteMutationVariables>;

export const ListSegmentsDocument = `query ListSegments($filter: SegmentFilter, $orderBy: SegmentOrder, $first: Int, $after: String) {
  segments(filter: $filter, orderBy: $orderBy, first: $first, after: $after) {
    nodes {
      ...SegmentSummary
    }
    pageInfo {
      ...PageEnd
    }
  }
}

fragment SegmentSummary on Segment {
  id
  databaseId
  name
  description
  contactCount
  isWatched
  version
}

fragment PageEnd on PageInfo {
  hasNextPage
  endCursor
}` as TypedDocument<ListSegmentsQuery, ListSegmentsQueryVariables>;

export const ReadSegmentDocument = `query ReadSegment($id: ID!) {
  segment(id: $id) {
    ...SegmentSummary
    query
    faults {
      location
      message
    }
  }
}

fragment SegmentSummary on Segment {
  id
  databaseId
  name
  description
  contactCount
  isWatched
  version
}` as TypedDocument<ReadSegmentQuery, ReadSegmentQueryVariables>;

export const ListSegmentContactsDocument = `query ListSegmentContacts($id: ID!, $orderBy: ContactOrder, $first: Int, $after: String) {
  segment(id: $id) {
    contacts(orderBy: $orderBy, first: $first, after: $after) {
      nodes {
        ...ContactSummary
      }
      pageInfo {
        ...PageEnd
      }
    }
  }
}

fragment ContactSummary on Contact {
  id
  databaseId
  firstName
  lastName
  email
  phone
  address {
    postalCode
    city
  }
}

fragment PageEnd on PageInfo {
  hasNextPage
  endCursor
}` as TypedDocument<ListSegmentContactsQuery, ListSegmentContactsQueryVariables>;

export const CreateSegmentDocument = `mutation CreateSegment($input: SegmentCreateInput!) {
  createSegment(input: $input) {
    segment {
      ...SegmentSummary
    }
  }
}

fragment SegmentSummary on Segment {
  id
  databaseId
  name
  description
  contactCount
  isWatched
  version
}` as TypedDocument<CreateSegmentMutation, CreateSegmentMutationVariables>;

export const UpdateSegmentDocument = `mutation UpdateSegment($input: SegmentUpdateInput!) {
  updateSegment(input: $input) {
    segment {
      ...SegmentSummary
    }
  }
}

fragment SegmentSummary on Segment {
  id
  databaseId
  name
  description
  contactCount
  isWatched
  version
}` as TypedDocument<UpdateSegmentMutation, UpdateSegmentMutationVariables>;

export const DeleteSegmentDocument = `mutation DeleteSegment($input: SegmentDeleteInput!) {
  deleteSegment(input: $input) {
    deletedId
  }
}` as TypedDocument<DeleteSegmentMutation, DeleteSegmentMutationVariables>;

export const ReadViewerDocument = `query ReadViewer {
  viewer {
    user {
      id
      firstName
      lastName
      email
    }
    space {
      id
      name
    }
  }
}` as TypedDocument<ReadViewerQuery, ReadViewerQueryVariables>;

export const ListTagsDocument = `query ListTags($filter: TagFilter, $orderBy: TagOrder, $first: Int, $after: String) {
  tags(filter: $filter, orderBy: $orderBy, first: $first, after: $after) {
    nodes {
      ...TagSummary
    }
    pageInfo {
      ...PageEnd
    }
  }
}

fragment TagSummary on Tag {
  id
  name
  color
}

fragment PageEnd on PageInfo {
  hasNextPage
  endCursor
}` as TypedDocument<ListTagsQuery, ListTagsQueryVariables>;

export const TagContactsDocument = `mutation TagContacts($input: ContactsTagInput!) {
  tagContacts(input: $input) {
    contacts {
      id
      version
      tags {
        ...TagSummary
      }
    }
  }
}

fragment TagSummary on Tag {
  id
  name
  color
}` as TypedDocument<TagContactsMutation, TagContactsMutationVariables>;

export const ListTeamsDocument = `query ListTeams($filter: TeamFilter, $orderBy: TeamOrder, $first: Int, $after: String) {
  teams(filter: $filter, orderBy: $orderBy, first: $first, after: $after) {
    nodes {
      id
      name
      description
      leaders {
        id
        firstName
        lastName
      }
    }
    pageInfo {
      ...PageEnd
    }
  }
}

fragment PageEnd on PageInfo {
  hasNextPage
  endCursor
}` as TypedDocument<ListTeamsQuery, ListTeamsQueryVariables>;

export const ListUsersDocument = `query ListUsers($filter: UserFilter, $orderBy: UserOrder, $first: Int, $after: String) {
  users(filter: $filter, orderBy: $orderBy, first: $first, after: $after) {
    nodes {
      id
      firstName
      lastName
      email
      role {
        id
        name
      }
    }
    pageInfo {
      ...PageEnd
    }
  }
}

fragment PageEnd on PageInfo {
  hasNextPage
  endCursor
}` as TypedDocument<ListUsersQuery, ListUsersQueryVariables>;
