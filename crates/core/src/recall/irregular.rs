//! Irregular English forms that no rule of endings brings together: `went` is found by `go`, `children` by `child`.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Each line: the plain form, then the others.
const FORMS: &str = "
be am is are was were been being
become became
begin began begun
bend bent
bite bit bitten
bleed bled
blow blew blown
break broke broken
bring brought
build built
buy bought
catch caught
choose chose chosen
cling clung
come came
creep crept
deal dealt
dig dug
do did done does
draw drew drawn
drink drank drunk
drive drove driven
eat ate eaten
fall fell fallen
feed fed
feel felt
fight fought
find found
flee fled
fly flew flown
forbid forbade forbidden
forget forgot forgotten
forgive forgave forgiven
freeze froze frozen
get got gotten
give gave given
go went gone goes
grind ground
grow grew grown
hang hung
have had has
hear heard
hide hid hidden
hold held
keep kept
kneel knelt
know knew known
lay laid
lead led
leave left
lend lent
lie lain
lose lost
make made
mean meant
meet met
mistake mistook mistaken
override overrode overridden
oversee oversaw overseen
overtake overtook overtaken
overwrite overwrote overwritten
pay paid
prove proven
rebuild rebuilt
rewrite rewrote rewritten
ride rode ridden
ring rang rung
rise rose risen
run ran
say said
see saw seen
seek sought
sell sold
send sent
shake shook shaken
shine shone
shoot shot
show shown
shrink shrank shrunk
sing sang sung
sink sank sunk
sit sat
sleep slept
slide slid
speak spoke spoken
spend spent
spin spun
spring sprang sprung
stand stood
steal stole stolen
stick stuck
sting stung
strike struck
swear swore sworn
sweep swept
swim swam swum
swing swung
take took taken
teach taught
tear tore torn
tell told
think thought
throw threw thrown
undergo underwent undergone
understand understood
undo undid undone
wake woke woken
wear wore worn
weave wove woven
weep wept
win won
wind wound
withdraw withdrew withdrawn
withhold withheld
write wrote written
analysis analyses
appendix appendices
axis axes
basis bases
child children
crisis crises
criterion criteria
datum data
foot feet
goose geese
half halves
hypothesis hypotheses
index indices
knife knives
leaf leaves
life lives
man men
matrix matrices
mouse mice
person people
phenomenon phenomena
shelf shelves
thief thieves
tooth teeth
vertex vertices
wife wives
wolf wolves
woman women
";

static PLAIN: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let mut plain = HashMap::new();
    for line in FORMS.lines() {
        let mut words = line.split_whitespace();
        if let Some(first) = words.next() {
            plain.extend(words.map(|form| (form, first)));
        }
    }
    plain
});

/// The plain form of an irregular one, else the word itself. Folded words.
pub(super) fn plain(word: &str) -> &str {
    PLAIN.get(word).copied().unwrap_or(word)
}
