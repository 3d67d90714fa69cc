use datil::{Actor, Context, NameError, Recipient};

use crate::support::{PATIENCE, Puppet, on_all, tell};

struct Other;

impl Actor for Other {
    type Msg = u32;
    fn handle(&mut self, _: u32, cx: &mut Context<'_, Self>) {
        cx.stop();
    }
}

#[test]
fn a_name_leads_to_its_actor_while_that_lives() {
    on_all(|runtime| {
        let (puppet, other) = (runtime.spawn(Puppet::default()), runtime.spawn(Other));
        runtime.register("puppet", puppet).unwrap();
        assert_eq!(runtime.whereis("puppet"), Ok(puppet));
        assert_eq!(
            runtime.register("puppet", other),
            Err(NameError::Taken {
                name: "puppet".into()
            })
        );
        let wrong = runtime.whereis::<Other>("puppet").unwrap_err();
        assert!(
            matches!(&wrong, NameError::OtherType { found, .. } if found.ends_with("Puppet")),
            "{wrong}"
        );
        let (reply, answer) = datil::promise();
        tell(puppet, move |_, cx| {
            cx.register("other", other).unwrap();
            reply.send(cx.whereis::<Puppet>("puppet"));
        });
        assert_eq!(answer.wait_for(PATIENCE), Ok(Ok(puppet)));
        assert_eq!(runtime.names(), ["other", "puppet"]);
        let end = puppet.ended();
        puppet.stop();
        end.wait_for(PATIENCE).unwrap();
        assert_eq!(
            runtime.whereis::<Puppet>("puppet"),
            Err(NameError::Unknown {
                name: "puppet".into()
            })
        );
        runtime.register("puppet", other).unwrap();
        assert!(runtime.unregister("puppet") && !runtime.unregister("puppet"));
        other.tell(0);
    });
}

#[test]
fn names_of_the_dead_take_no_place_for_ever() {
    on_all(|runtime| {
        for n in 0..10_000u32 {
            let other = runtime.spawn(Other);
            runtime.register(&n.to_string(), other).unwrap();
            other.tell(0);
            if n % 100 == 0 {
                runtime.wait_quiescent();
            }
        }
        runtime.wait_quiescent();
        assert!(runtime.names().is_empty());
    });
}

#[test]
fn a_recipient_hides_the_type() {
    struct Number(u32);
    enum Wide {
        Number(Number),
    }
    impl From<Number> for Wide {
        fn from(number: Number) -> Self {
            Self::Number(number)
        }
    }
    struct Adder(u32);
    impl Actor for Adder {
        type Msg = Wide;
        fn handle(&mut self, Wide::Number(Number(n)): Wide, cx: &mut Context<'_, Self>) {
            self.0 += n;
            if self.0 >= 10 {
                cx.stop();
            }
        }
    }
    on_all(|runtime| {
        let adder = runtime.spawn(Adder(0));
        let recipient: Recipient<Number> = adder.into();
        assert_eq!((recipient, recipient.id()), (adder.recipient(), adder.id()));
        (0..10).for_each(|_| recipient.tell(Number(1)));
        runtime.wait_quiescent();
        assert!(!recipient.is_alive());
    });
}
