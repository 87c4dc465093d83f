//! Values: numbers with their units in one scale, versions, times of day, dates.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Amounts by spelling.
type Table = LazyLock<HashMap<&'static str, f64>>;

/// What is measured. Values of different dimensions never equal each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Dimension {
    /// A bare number; percents are numbers too (`50%` is 0.5).
    Count,
    /// Milliseconds.
    Time,
    /// Bytes.
    Bytes,
    /// `first`, `2nd`.
    Ordinal,
    /// `2.4.0`, `v3`.
    Version,
    /// Minutes since midnight.
    Clock,
    /// `2026-11-28`.
    Date,
    /// An amount of money.
    Money,
    /// Millimetres.
    Length,
    /// Grams.
    Mass,
    /// Millilitres.
    Volume,
    /// A part of the day at which something recurs.
    Night,
}

/// A value in the scale of its dimension, as text that equal values share.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Value {
    pub(super) dimension: Dimension,
    pub(super) amount: String,
}

impl Value {
    pub(super) fn new(dimension: Dimension, amount: f64) -> Self {
        // Nine digits hide what floating point makes of 0.1 + 0.2, and no real setting differs beyond them.
        let rounded = format!("{amount:.9e}");
        Self { dimension, amount: rounded }
    }

    /// How often, how long, or when.
    pub(super) fn is_cadence(&self) -> bool {
        matches!(self.dimension, Dimension::Time | Dimension::Night | Dimension::Clock)
    }

    /// Whether both could answer one question: a time of day and a number of bytes cannot.
    pub(super) fn is_comparable(&self, other: &Self) -> bool {
        use Dimension::{Clock, Count, Date, Night, Time};
        let when = |value: &Self| matches!(value.dimension, Clock | Date | Night | Time);
        let bare = |value: &Self, other: &Self| {
            value.dimension == Count && !matches!(other.dimension, Clock | Date | Night)
        };
        self.dimension == other.dimension
            || when(self) && when(other)
            || bare(self, other)
            || bare(other, self)
    }

    fn text(dimension: Dimension, amount: &str) -> Self {
        Self { dimension, amount: amount.to_owned() }
    }
}

/// Milliseconds per unit of time.
static TIME_UNITS: Table = LazyLock::new(|| {
    table(&[
        ("ns nanosecond nanoseconds", 1e-6),
        ("us µs microsecond microseconds", 1e-3),
        ("ms msec msecs millisecond milliseconds milis milisekund milisekunda milisekundi milisekunde", 1.0),
        ("s sec secs second seconds sekund sekunda sekundi sekunde sekundu", 1e3),
        ("m min mins minute minutes minut minuta minuti minute minutu", 6e4),
        ("h hr hrs hour hours sat sata sati", 3.6e6),
        ("d day days dan dana dani", 8.64e7),
        ("w wk week weeks nedelja nedelje nedelju sedmica sedmice sedmicu", 6.048e8),
        ("month months mesec meseca meseci", 2.592e9),
        ("quarter quarters kvartal kvartala", 7.776e9),
        ("y yr year years godina godine godinu", 3.1536e10),
    ])
});

static BYTE_UNITS: Table = LazyLock::new(|| {
    table(&[
        ("byte bytes bajt bajta bajtova", 1.0),
        ("kb kib ki kilobyte kilobytes kibibyte kibibytes kilobajt kilobajta", 1024.0),
        ("mb mib mi meg megs megabyte megabytes mebibyte mebibytes megabajt megabajta", 1_048_576.0),
        ("gb gib gi gig gigs gigabyte gigabytes gibibyte gibibytes gigabajt gigabajta", 1_073_741_824.0),
        ("tb tib ti terabyte terabytes tebibyte tebibytes terabajt terabajta", 1_099_511_627_776.0),
    ])
});

/// Units of what is measured by hand, in millimetres, grams and millilitres.
static MEASURES: LazyLock<[(Dimension, HashMap<&str, f64>); 3]> = LazyLock::new(|| {
    [
        (
            Dimension::Length,
            table(&[
                ("mm millimeter millimeters millimetre millimetres milimetar milimetara", 1.0),
                ("cm centimeter centimeters centimetre centimetres centimetar centimetara", 10.0),
                ("meter meters metre metres metar metra metara", 1e3),
                ("km kilometer kilometers kilometre kilometres kilometar kilometara", 1e6),
            ]),
        ),
        (
            Dimension::Mass,
            table(&[
                ("mg milligram milligrams miligram miligrama", 1e-3),
                ("g gram grams grama", 1.0),
                ("kg kilogram kilograms kilo kilograma kila", 1e3),
                ("ton tons tonne tonnes tona tone", 1e6),
            ]),
        ),
        (
            Dimension::Volume,
            table(&[
                ("ml milliliter milliliters mililitar mililitara", 1.0),
                ("dl deciliter decilitar", 100.0),
                ("l liter liters litre litres litar litra litara", 1e3),
            ]),
        ),
    ]
});

/// The dimension of a measuring unit and its scale. `m` is a metre only beside a word of extent.
fn measure(unit: &str, next: &str) -> Option<(Dimension, f64)> {
    if unit == "m" && matches!(next, "long" | "wide" | "high" | "tall" | "deep" | "away" | "apart" | "of") {
        return Some((Dimension::Length, 1e3));
    }
    MEASURES.iter().find_map(|(dimension, units)| units.get(unit).map(|scale| (*dimension, *scale)))
}

static ADVERBS: Table = LazyLock::new(|| {
    table(&[
        ("hourly", 3.6e6),
        ("daily dnevno", 8.64e7),
        ("weekly nedeljno", 6.048e8),
        ("monthly mesecno", 2.592e9),
        ("quarterly kvartalno", 7.776e9),
        ("yearly annually godisnje", 3.1536e10),
    ])
});

static NUMBER_WORDS: Table = LazyLock::new(|| {
    table(&[
        ("zero nula", 0.0),
        ("one jedan jedna jedno jednu jednom", 1.0),
        ("two dva dve dvoje", 2.0),
        ("three tri troje", 3.0),
        ("four cetiri", 4.0),
        ("five pet", 5.0),
        ("six sest", 6.0),
        ("seven sedam", 7.0),
        ("eight osam", 8.0),
        ("nine devet", 9.0),
        ("ten deset", 10.0),
        ("eleven jedanaest", 11.0),
        ("twelve dvanaest dozen", 12.0),
        ("thirteen trinaest", 13.0),
        ("fourteen cetrnaest", 14.0),
        ("fifteen petnaest", 15.0),
        ("sixteen sesnaest", 16.0),
        ("seventeen sedamnaest", 17.0),
        ("eighteen osamnaest", 18.0),
        ("nineteen devetnaest", 19.0),
        ("twenty dvadeset", 20.0),
        ("thirty trideset", 30.0),
        ("forty cetrdeset", 40.0),
        ("fifty pedeset", 50.0),
        ("sixty sezdeset", 60.0),
        ("seventy sedamdeset", 70.0),
        ("eighty osamdeset", 80.0),
        ("ninety devedeset", 90.0),
        ("hundred sto stotinu", 100.0),
        ("thousand hiljadu hiljada hiljade", 1000.0),
        ("million milion miliona", 1e6),
        ("half pola polovina", 0.5),
        ("once jednom", 1.0),
        ("twice dvaput", 2.0),
        ("thrice triput", 3.0),
    ])
});

static ORDINAL_WORDS: Table = LazyLock::new(|| {
    table(&[
        ("first prvi prva prvo prve prvog prvom", 1.0),
        ("second drugi druga drugo druge drugog drugom", 2.0),
        ("third treci treca trece", 3.0),
        ("fourth cetvrti cetvrta", 4.0),
        ("fifth peti peta", 5.0),
        ("sixth sesti", 6.0),
        ("seventh sedmi", 7.0),
        ("eighth osmi", 8.0),
        ("ninth deveti", 9.0),
        ("tenth deseti", 10.0),
        ("eleventh", 11.0),
        ("twelfth", 12.0),
        ("thirteenth", 13.0),
        ("fourteenth", 14.0),
        ("fifteenth", 15.0),
        ("twentieth", 20.0),
    ])
});

fn look_up(table: &Table, word: &str) -> Option<f64> {
    table.get(word).copied()
}

/// A row holds the spellings of one amount; of two rows with one spelling the first counts.
fn table(rows: &[(&'static str, f64)]) -> HashMap<&'static str, f64> {
    let mut words = HashMap::new();
    for (spellings, amount) in rows {
        for word in spellings.split(' ') {
            words.entry(word).or_insert(*amount);
        }
    }
    words
}

/// Milliseconds of one `word`, if it is a unit of time. Single letters count only right after a number.
pub(super) fn time_unit(word: &str) -> Option<f64> {
    look_up(&TIME_UNITS, word)
}

/// Whether [`read`] may find a value that begins with this word, whatever follows.
pub(super) fn may_begin(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit() || c == '+')
        || matches!(
            word,
            "nightly" | "every" | "per" | "each" | "a" | "an" | "sat" | "dan" | "godinu" | "mesec"
        )
        || matches!(word, "noon" | "midday" | "podne" | "midnight" | "ponoc" | "ponoci")
        || matches!(word, "svake" | "svaku" | "svaki" | "svakog" | "svakih")
        || look_up(&ADVERBS, word).is_some()
        || look_up(&ORDINAL_WORDS, word).is_some()
        || ordinal_digits(word).is_some()
        || version(word).is_some()
        || number(&[word]).is_some()
}

/// Reads a value at the start of `words` (folded). Gives it and how many words it took.
pub(super) fn read(words: &[&str]) -> Option<(Value, usize)> {
    let word = *words.first()?;
    let next = words.get(1).copied().unwrap_or_default();
    if let Some(value) = dated(word).or_else(|| clock(word, next)) {
        return Some((value, if half_of_day(next).is_empty() { 1 } else { 2 }));
    }
    let every = matches!(word, "every" | "each" | "svake" | "svaku");
    if word == "nightly" || every && matches!(next, "night" | "noci" | "noc") {
        return Some((Value::text(Dimension::Night, "every"), if every { 2 } else { 1 }));
    }
    if let Some(amount) = look_up(&ADVERBS, word) {
        return Some((Value::new(Dimension::Time, amount), 1));
    }
    if let Some(found) = broken(words) {
        return Some(found);
    }
    if matches!(word, "every" | "per" | "each" | "svaki" | "svake" | "svakog" | "svakih" | "a" | "an")
        && next.len() > 1
        && let Some(unit) = time_unit(next)
    {
        return Some((Value::new(Dimension::Time, unit), 2));
    }
    if let Some(amount) = look_up(&ORDINAL_WORDS, word).or_else(|| ordinal_digits(word)) {
        return Some((Value::new(Dimension::Ordinal, amount), 1));
    }
    if let Some(version) = version(word) {
        return Some((Value::text(Dimension::Version, &version), 1));
    }
    let (amount, suffix, mut taken) = number(words)?;
    let rest = words.get(taken..).unwrap_or_default();
    let unit = if suffix.is_empty() { rest.first().copied().unwrap_or_default() } else { suffix };
    let unit_taken = usize::from(suffix.is_empty());
    let beside = rest.get(unit_taken).copied().unwrap_or_default();
    let value = if let Some((dimension, scale)) = measure(unit, beside) {
        taken += unit_taken;
        Value::new(dimension, amount * scale)
    } else if let Some(scale) = time_unit(unit) {
        taken += unit_taken;
        Value::new(Dimension::Time, amount * scale)
    } else if let Some(scale) = look_up(&BYTE_UNITS, unit) {
        taken += unit_taken;
        Value::new(Dimension::Bytes, amount * scale)
    } else if matches!(unit, "%" | "percent" | "procenat" | "procenata" | "posto" | "odsto" | "pct") {
        taken += unit_taken;
        Value::new(Dimension::Count, amount / 100.0)
    } else if let Some(currency) = currency(unit) {
        taken += unit_taken;
        Value::text(Dimension::Money, &format!("{currency} {amount:.9e}"))
    } else if matches!(unit, "hz") && amount > 0.0 {
        taken += unit_taken;
        Value::new(Dimension::Time, 1e3 / amount)
    } else {
        return rate(amount, rest, taken).or_else(|| {
            let plain = suffix.is_empty() || suffix == "x";
            plain.then(|| (Value::new(Dimension::Count, amount), taken))
        });
    };
    Some((value, taken))
}

/// `half an hour`, `an hour and a half`, `pola sata`, `sat i po`.
fn broken(words: &[&str]) -> Option<(Value, usize)> {
    let unit = |word: &&str| time_unit(word).filter(|_| word.len() > 1);
    let (amount, scale, taken) = match words {
        ["half", "a" | "an", word, ..] => (0.5, unit(word)?, 3),
        ["a" | "an" | "one", word, "and", "a", "half", ..] => (1.5, unit(word)?, 5),
        [word, "i", "po", ..] => (1.5, unit(word)?, 3),
        _ => return None,
    };
    Some((Value::new(Dimension::Time, amount * scale), taken))
}

/// What money is counted in. Amounts of different currencies differ.
fn currency(unit: &str) -> Option<&'static str> {
    Some(match unit {
        "$" | "usd" | "dollar" | "dollars" | "bucks" | "dolar" | "dolara" => "usd",
        "€" | "eur" | "euro" | "euros" | "evro" | "evra" | "eura" => "eur",
        "£" | "gbp" | "pound" | "pounds" | "quid" | "funti" | "funta" => "gbp",
        "rsd" | "din" | "dinar" | "dinara" => "rsd",
        _ => return None,
    })
}

/// `twice per second`, `3 times a day`: the time between two.
fn rate(amount: f64, rest: &[&str], taken: usize) -> Option<(Value, usize)> {
    let skip = usize::from(rest.first().is_some_and(|w| matches!(*w, "time" | "times" | "put" | "puta")));
    let per = *rest.get(skip)?;
    let unit = *rest.get(skip + 1)?;
    let scale = (unit.len() > 1).then(|| time_unit(unit)).flatten()?;
    let is_rate =
        matches!(per, "per" | "a" | "an" | "each" | "every" | "u" | "na" | "svake" | "svaki" | "svakog");
    (is_rate && amount > 0.0).then(|| (Value::new(Dimension::Time, scale / amount), taken + skip + 2))
}

/// A number in digits or words, the letters right after its digits, and how many words it took.
fn number<'a>(words: &[&'a str]) -> Option<(f64, &'a str, usize)> {
    let word = *words.first()?;
    if let Some(first) = look_up(&NUMBER_WORDS, word) {
        let mut total = first;
        let mut taken = 1;
        // "twenty five", "two hundred"
        while let Some(more) = words.get(taken).and_then(|w| look_up(&NUMBER_WORDS, w)) {
            if more >= 100.0 && total < more {
                total *= more;
            } else if total >= 20.0 && (1.0..10.0).contains(&more) {
                total += more;
            } else {
                break;
            }
            taken += 1;
        }
        return Some((total, "", taken));
    }
    let money = word.trim_start_matches(['$', '€', '£', '~', '≈']);
    let end =
        money.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '_'))).unwrap_or(money.len());
    let (digits, suffix) = money.split_at_checked(end)?;
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let mut amount = parse_digits(digits)?;
    let suffix = match suffix {
        "k" => {
            amount *= 1e3;
            ""
        }
        "mio" | "mil" => {
            amount *= 1e6;
            ""
        }
        "+" => "",
        other => other.trim_start_matches('-'),
    };
    let mut taken = 1;
    if suffix.is_empty()
        && let Some(scale) = words.get(1).and_then(|w| look_up(&NUMBER_WORDS, w)).filter(|s| *s >= 100.0)
    {
        amount *= scale;
        taken = 2;
    }
    let sign = ["$", "€", "£"].into_iter().find(|sign| suffix.is_empty() && word.starts_with(sign));
    let suffix = sign.unwrap_or(suffix);
    Some((amount, suffix, taken))
}

/// `200,000`, `200_000`, `1.5`, `1,5`.
fn parse_digits(digits: &str) -> Option<f64> {
    let digits = digits.trim_end_matches(['.', ',']);
    let grouped = |sep: char| {
        let mut parts = digits.split(sep);
        let head = parts.next().unwrap_or_default();
        let mut count = 0;
        let threes = parts.all(|p| {
            count += 1;
            p.len() == 3 && p.bytes().all(|b| b.is_ascii_digit())
        });
        threes && count > 0 && (1..=3).contains(&head.len()) && !head.starts_with('0')
    };
    let plain = if digits.contains('_') {
        digits.replace('_', "")
    } else if digits.contains(',') && (grouped(',') || digits.matches(',').count() > 1) {
        digits.replace(',', "")
    } else {
        digits.replace(',', ".")
    };
    plain.parse().ok()
}

fn ordinal_digits(word: &str) -> Option<f64> {
    ["st", "nd", "rd", "th"].iter().find_map(|s| word.strip_suffix(s)).and_then(|n| n.parse().ok())
}

fn version(word: &str) -> Option<String> {
    let bare = word.strip_prefix('v').unwrap_or(word);
    let dots = bare.matches('.').count();
    let digits = bare.starts_with(|c: char| c.is_ascii_digit())
        && bare.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+'));
    let numeric_head = bare
        .split(['-', '+'])
        .next()?
        .split('.')
        .all(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit() || b == b'x'));
    let explicit = bare.len() < word.len();
    (digits && numeric_head && (dots >= 2 || explicit)).then(|| bare.to_owned())
}

/// The half of the day that a word names.
fn half_of_day(word: &str) -> &'static str {
    match word {
        "am" | "ujutru" | "ujutro" => "am",
        "pm" | "popodne" | "uvece" => "pm",
        _ => "",
    }
}

/// `10:00`, `9am`, `14h`, `8 ujutru`.
fn clock(word: &str, next: &str) -> Option<Value> {
    match word {
        "noon" | "midday" | "podne" => return Some(Value::text(Dimension::Clock, "720")),
        "midnight" | "ponoc" | "ponoci" => return Some(Value::text(Dimension::Clock, "0")),
        _ => {}
    }
    let (body, half) = match (word.strip_suffix("am"), word.strip_suffix("pm")) {
        (Some(body), _) => (body, "am"),
        (_, Some(body)) => (body, "pm"),
        _ => (word.strip_suffix('h').filter(|w| w.contains(':')).unwrap_or(word), half_of_day(next)),
    };
    let (hours, minutes) = body.split_once(':').unwrap_or((body, "0"));
    let (hours, minutes): (u32, u32) = (hours.parse().ok()?, minutes.parse().ok()?);
    let is_clock = body.contains(':') || matches!(half, "am" | "pm");
    if !is_clock || hours > 24 || minutes > 59 {
        return None;
    }
    let hours = match half {
        "pm" if hours < 12 => hours + 12,
        "am" if hours == 12 => 0,
        _ => hours,
    };
    Some(Value::text(Dimension::Clock, &(hours * 60 + minutes).to_string()))
}

/// `2026-11-28`, `28.11.2026`.
fn dated(word: &str) -> Option<Value> {
    let parts: Vec<&str> = word.trim_end_matches('.').split(['-', '.', '/']).collect();
    let [first, month, last] = parts.as_slice() else { return None };
    let numeric = parts.iter().all(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit()));
    let (year, day) = match (first.len(), last.len()) {
        (4, 1 | 2) => (first, last),
        (1 | 2, 4) => (last, first),
        _ => return None,
    };
    (numeric && month.len() <= 2)
        .then(|| Value::text(Dimension::Date, &format!("{year}-{month:0>2}-{day:0>2}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Option<Value> {
        let words: Vec<&str> = text.split(' ').collect();
        read(&words).filter(|(_, taken)| *taken == words.len()).map(|(value, _)| value)
    }

    #[test]
    fn one_amount_in_several_spellings() {
        for (a, b) in [
            ("30s", "30 seconds"),
            ("30s", "0.5 min"),
            ("1 minute", "60 sec"),
            ("1k", "1000"),
            ("200,000", "200k"),
            ("50%", "0.5"),
            ("50 percent", "50%"),
            ("twice per second", "500ms"),
            ("3 times a minute", "20 s"),
            ("daily", "every day"),
            ("three", "3"),
            ("twenty five", "25"),
            ("dve hiljade", "2000"),
            ("2nd", "drugi"),
            ("10am", "10:00"),
            ("2 pm", "14:00"),
            ("28.11.2026", "2026-11-28"),
            ("1 GB", "1024 MB"),
            ("1 GiB", "1024 mebibytes"),
            ("16 gigs", "16 GB"),
            ("half an hour", "30 minutes"),
            ("an hour and a half", "90 min"),
            ("sat i po", "90 minuta"),
            ("$20", "20 usd"),
            ("€400", "400 evra"),
            ("deset odsto", "10%"),
            ("8 ujutru", "08:00"),
            ("noon", "12:00"),
            ("ponoc", "0:00"),
            ("9 uvece", "21:00"),
            ("v2.4.0", "2.4.0"),
            ("jednom nedeljno", "jednom nedeljno"),
        ] {
            assert_eq!(value(&a.to_lowercase()), value(&b.to_lowercase()), "{a} {b}");
        }
    }

    #[test]
    fn what_measures_different_things_is_not_compared() {
        let comparable = |a, b| value(a).unwrap().is_comparable(&value(b).unwrap());
        assert!(comparable("02:00", "nightly") && comparable("30", "30s") && comparable("5 mb", "1 gb"));
        assert!(!comparable("02:00", "5 mb") && !comparable("10", "08:00") && !comparable("first", "5 s"));
    }

    #[test]
    fn different_amounts_differ() {
        for (a, b) in [
            ("30s", "30 minutes"),
            ("5 ms", "5 s"),
            ("1", "first"),
            ("6 months", "6 weeks"),
            ("2.4.0", "2.4.1"),
            ("80", "8080"),
            ("$20", "€20"),
            ("200 evra", "200 dinara"),
        ] {
            let (a, b) = (value(a), value(b));
            assert!(a.is_some() && b.is_some() && a != b, "{a:?} {b:?}");
        }
        assert_eq!(value("users"), None);
        assert_eq!(value("k8s"), None);
    }
}
