export { checkIdentifier, type IdentifierIssue, type PlayerAccount } from './identifier.ts';
export { createNicknameLookup, type NicknameLookup } from './lookup.ts';
export { playerRoutes } from './routes.ts';
