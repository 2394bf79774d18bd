/** A command that could not do its work. Its message is all the person needs: it is printed without a stack, and the exit code is 1. */
export class CommandError extends Error {}
