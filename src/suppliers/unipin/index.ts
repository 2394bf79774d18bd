export { unipinKind } from './unipin.ts';
