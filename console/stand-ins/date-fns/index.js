// What ra-core imports from date-fns, in `inference/assertions.js` alone, which the console does not use.
const unused = () => {
  throw new Error('The console has no date-fns: console/stand-ins/date-fns/.');
};

export { unused as isMatch, unused as isValid, unused as parseISO };
