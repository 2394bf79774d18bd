/**
 * Why the service cannot start, in words that say what to do. Its message is all a person needs; a stack would only hide it.
 * Thrown for what an operator can mend; everything else that throws is a bug.
 */
export class StartError extends Error {}
