// Types of roles, and how far each reaches (spec §2.5).
export const roleTypes = ['superadmin', 'admin', 'manager', 'user', 'custom'] as const;
export type RoleType = (typeof roleTypes)[number];

/** How far a type of role reaches; a custom role reaches as far as a user's. */
const reach: Record<RoleType, number> = { superadmin: 4, admin: 3, manager: 2, user: 1, custom: 1 };

/** Whether the role type `held` permits everything that `needed` permits. */
export const isAtLeast = (held: RoleType, needed: RoleType): boolean => reach[held] >= reach[needed];

/** The role types that reach no further than `held`. */
export const listTypesWithin = (held: RoleType): RoleType[] => roleTypes.filter((type) => isAtLeast(held, type));
